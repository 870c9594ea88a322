import type { Authorizer } from "./iam/authorizer.ts";
import type { StackModel } from "./template/model.ts";

/** A call that a role does not allow; `logicalId` is the function's that made it. */
export type Denial = { logicalId: string; action: string; resource: string; reason: string };

/** What a function's environment needs to call AWS: set as AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN. */
export type FunctionCredentials = { accessKeyId: string; secretAccessKey: string; sessionToken: string };

export type GatewayOptions = {
  model: StackModel;
  authorizer: Authorizer;
  /** Loopback or the endpoint that the user chose: nothing is ever forwarded elsewhere. */
  dynamodbEndpoint: string;
  onDenied: (denial: Denial) => void;
};

export type Gateway = {
  /** Set it as AWS_ENDPOINT_URL; without a trailing slash. */
  url: string;
  /** @throws Error for an ARN that is none of the model's functions. */
  credentialsFor(functionArn: string): FunctionCredentials;
  close(): Promise<void>;
};

/** One endpoint on loopback for every AWS service, which lets through what the caller's role allows. */
export const startGateway = (_options: GatewayOptions): Promise<Gateway> => Promise.reject(new Error("being built"));
