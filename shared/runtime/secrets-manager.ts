/**
 * Secrets of the platform in Secrets Manager, read at run time, so that a rotated value needs no deployment. The client
 * is created at the first call, but imported statically, for the reasons in event-bridge.ts.
 */
import { Agent } from "node:https";
import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { type AwsPlace, boundedRequests, fixedSettings, readAwsPlace } from "./aws-client.ts";
import { callStore } from "./call-store.ts";
import type { Clock } from "./clock.ts";
import { writeLog } from "./log.ts";

/** Reads the current value of a secret. @throws DomainError `store_unavailable`. */
export type ReadSecret = (arn: string) => Promise<string>;

const REQUEST_TIMEOUT_MS = 1_000;

/**
 * Errors that last until an operator changes the secret, its key or the function's role.
 * https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html#API_GetSecretValue_Errors
 */
const LASTING_ERRORS = [
  "AccessDeniedException",
  "DecryptionFailure",
  "InvalidParameterException",
  "InvalidRequestException",
  "NoSecretString",
  "ResourceNotFoundException",
];

/** Only the name of an SDK error leaves this file: its message may quote an answer, and so a secret. */
const nameOnly = (error: unknown): Error => {
  const { name } = error instanceof Error ? error : { name: typeof error };
  return Object.assign(new Error(`Secrets Manager: ${name}`), { name });
};

/** A client of one endpoint. */
export const createSecretsManager = (place: AwsPlace): ReadSecret => {
  const client = new SecretsManagerClient({
    ...place,
    ...fixedSettings,
    maxAttempts: 3,
    requestHandler: boundedRequests(new Agent({ keepAlive: true, maxSockets: 5 }), REQUEST_TIMEOUT_MS),
  });
  return (arn) =>
    callStore(async (options) => {
      try {
        const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: arn }), options);
        if (SecretString) return SecretString;
        throw Object.assign(new Error(), { name: "NoSecretString" });
      } catch (error) {
        const reported = nameOnly(error);
        if (LASTING_ERRORS.includes(reported.name)) {
          const problem = { alarm: "platform_secret", secret: arn, cause: reported.name };
          writeLog("error", "A secret of the platform cannot be read", problem);
        }
        throw reported;
      }
    });
};

let made: ReadSecret | undefined;

/** The Secrets Manager of a deployed function, from its environment. */
export const secretsManager: { readSecret: ReadSecret } = {
  readSecret: (arn) => {
    made ??= createSecretsManager(readAwsPlace("secretsmanager"));
    return made(arn);
  },
};

const CACHED_MS = 300_000;

/** A secret with a cache for one instance. Both calls throw DomainError `store_unavailable`. */
export type CachedSecret = {
  /** The value, at most five minutes old. */
  current(): Promise<string>;
  /**
   * Reports a value that was not accepted.
   * @returns another value: the cached one, or one read now; undefined if there is no other.
   */
  refused(value: string): Promise<string | undefined>;
};

/**
 * @param read reads the current value.
 * @param options.rereadAfterMs a refused value younger than this is not read again. It limits the reads that strangers
 *   can cause; default: 0.
 */
export const createCachedSecret = (
  read: () => Promise<string>,
  now: Clock,
  { rereadAfterMs = 0 }: { rereadAfterMs?: number } = {},
): CachedSecret => {
  let cached: { value: string; readAt: number } | undefined;
  let reading: Promise<string> | undefined;

  /** Concurrent callers share one read. */
  const readNow = (): Promise<string> => {
    reading ??= (async () => {
      const readAt = now();
      const value = await read();
      cached = { value, readAt };
      return value;
    })().finally(() => {
      reading = undefined;
    });
    return reading;
  };

  return {
    current: async () => (cached !== undefined && now() - cached.readAt < CACHED_MS ? cached.value : readNow()),

    async refused(value) {
      if (cached !== undefined && cached.value !== value) return cached.value;
      if (cached !== undefined && now() - cached.readAt < rereadAfterMs) return undefined;
      const other = await readNow();
      return other === value ? undefined : other;
    },
  };
};
