import { randomBytes } from "node:crypto";
import type { FunctionModel } from "../core/model.ts";

/** The values of AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN of a function. */
export type FunctionCredentials = { accessKeyId: string; secretAccessKey: string; sessionToken: string };

/** The caller, service and region of a call, from the Authorization header. */
export type Signer = { accessKeyId: string; region: string; service: string };

const credentialPattern = /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/\d{8}\/([^/,\s]+)\/([^/,\s]+)\/aws4_request,/;

/** The signer of a link, from its query: a browser sends no Authorization header. */
export const signerOfLink = (target: string): Signer | undefined => {
  const credential = new URLSearchParams(target.split("?")[1]).get("X-Amz-Credential") ?? "";
  const [match, accessKeyId = "", region = "", service = ""] =
    /^([^/]+)\/\d{8}\/([^/]+)\/([^/]+)\/aws4_request$/.exec(credential) ?? [];
  return match === undefined ? undefined : { accessKeyId, region, service };
};

/** The key identifies the caller. The signature is not verified: this is not a security boundary. */
export const signerOf = (authorization = ""): Signer | undefined => {
  const [match, accessKeyId = "", region = "", service = ""] = credentialPattern.exec(authorization) ?? [];
  return match === undefined ? undefined : { accessKeyId, region, service };
};

export type CredentialBook = {
  /** @throws Error for an ARN of no function. */
  credentialsFor(functionArn: string): FunctionCredentials;
  /** The function to which a key belongs, and the key's secret. */
  holderOf(accessKeyId: string): { function: FunctionModel; secretAccessKey: string } | undefined;
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
  const holders = new Map(
    entries.map(({ accessKeyId, holder, secretAccessKey }) => [accessKeyId, { function: holder, secretAccessKey }]),
  );
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
