import { randomBytes } from "node:crypto";
import type { FunctionModel } from "../core/model.ts";

/** The values of AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN of a function. */
export type FunctionCredentials = { accessKeyId: string; secretAccessKey: string; sessionToken: string };

/** The caller, service and region of a call, from the Authorization header. */
export type Signer = { accessKeyId: string; region: string; service: string };

const credentialPattern = /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/\d{8}\/([^/,\s]+)\/([^/,\s]+)\/aws4_request,/;

/** The key identifies the caller. The signature is not verified: this is not a security boundary. */
export const signerOf = (authorization = ""): Signer | undefined => {
  const [match, accessKeyId = "", region = "", service = ""] = credentialPattern.exec(authorization) ?? [];
  return match === undefined ? undefined : { accessKeyId, region, service };
};

export type CredentialBook = {
  /** @throws Error for an ARN of no function. */
  credentialsFor(functionArn: string): FunctionCredentials;
  /** The function to which a key belongs. */
  holderOf(accessKeyId: string): FunctionModel | undefined;
};

/** Makes credentials for each function, new ones at every start. */
export const createCredentialBook = (functions: readonly FunctionModel[]): CredentialBook => {
  const entries = functions.map((holder) => ({
    holder,
    // The prefix of temporary keys. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html
    accessKeyId: `ASIA${randomBytes(8).toString("hex").toUpperCase()}`,
    secretAccessKey: randomBytes(20).toString("hex"),
    sessionToken: randomBytes(20).toString("hex"),
  }));
  const holders = new Map(entries.map(({ accessKeyId, holder }) => [accessKeyId, holder]));
  return {
    credentialsFor: (functionArn) => {
      const found = entries.find(({ holder }) => holder.arn === functionArn);
      if (found === undefined) throw new Error(`${functionArn} is not a function of the stack`);
      const { holder: _holder, ...credentials } = found;
      return credentials;
    },
    holderOf: (accessKeyId) => holders.get(accessKeyId),
  };
};
