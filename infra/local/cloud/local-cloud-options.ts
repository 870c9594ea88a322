import type { Observe } from "../core/observation.ts";
import type { DataDirectory } from "../data-directory/open-data-directory.ts";

/** How a local cloud is started. */
export type LocalCloudOptions = {
  /** A synthesised assembly with one stack. */
  assemblyDirectory: string;
  /** Tables, clock, keys and generated secrets are kept there from one start to the next. */
  dataDirectory: string;
  /** The same directory, if the caller has opened it to find damage before slow work. The stop releases it. */
  openedDirectory?: DataDirectory;
  /** Where the e-mails that functions send are written; `mail` in the data directory by default. */
  mailDirectory?: string;
  /** Of the first HTTP API; 0 for any that is free. */
  port: number;
  /** A DynamoDB-compatible endpoint in place of the embedded engine. */
  dynamodbEndpoint?: string;
  /** Instances of one function at most; further requests wait. */
  maxInstances?: number;
  /** The account's quota of concurrent executions, beyond which queues and asynchronous events are throttled: 1,000. */
  accountConcurrency?: number;
  /** Whether queues deliver messages of groups in turn, as SQS's fair queues do about. By default they do. */
  areQueuesFair?: boolean;
  audience?: string;
  claimNames?: { organization: string; role: string };
  /** Whether the issuer replaces a refresh token at each use. By default it does. */
  isIssuerRotating?: boolean;
  /** A server with the payment provider's protocol, instead of the simulator. */
  providerApiUrl?: string;
  /** The platform's own credentials at that server, or at the simulator. */
  providerOauth?: { clientId: string; secret: string };
  /** The secret of the platform's webhook endpoint there: one, or a JSON list. */
  platformWebhookSecret?: string;
  /** The simulator's limit on an account's requests within any second; none by default. */
  providerRateLimit?: number;
  /** Replaces variables that a function's template declares; adds none. ISSUER and AUDIENCE are replaced anyway. */
  environment?: Readonly<Record<string, string>>;
  /** A line from a function (`source` is its logical id) or from the local cloud itself. */
  log: (source: string, line: string) => void;
  /** Called for each request, schedule, event and batch, and for each day over which the clock is advanced. */
  observe?: Observe;
};
