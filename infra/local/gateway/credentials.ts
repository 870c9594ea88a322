import { randomBytes } from "node:crypto";
import type { FunctionModel } from "../core/model.ts";

/** What a function's environment needs to call AWS: set as AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN. */
export type FunctionCredentials = { accessKeyId: string; secretAccessKey: string; sessionToken: string };

/** Who signed a call, for which service and region, as the Authorization header says. */
export type Signer = { accessKeyId: string; region: string; service: string };

const credentialPattern = /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/\d{8}\/([^/,\s]+)\/([^/,\s]+)\/aws4_request,/;

/** The key tells who calls; the signature itself is not verified, since this is no security boundary. */
export const signerOf = (authorization = ""): Signer | undefined => {
  const [match, accessKeyId = "", region = "", service = ""] = credentialPattern.exec(authorization) ?? [];
  return match === undefined ? undefined : { accessKeyId, region, service };
};

export type CredentialBook = {
  /** @throws Error for an ARN that is none of the functions'. */
  credentialsFor(functionArn: string): FunctionCredentials;
  /** The function to which a key belongs. */
  holderOf(accessKeyId: string): FunctionModel | undefined;
};

/** Makes up credentials for each function; they are new at every start. */
export const createCredentialBook = (functions: readonly FunctionModel[]): CredentialBook => {
  const entries = functions.map((holder) => ({
    holder,
    // Temporary keys begin so. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html
    accessKeyId: `ASIA${randomBytes(8).toString("hex").toUpperCase()}`,
    secretAccessKey: randomBytes(20).toString("hex"),
    sessionToken: randomBytes(20).toString("hex"),
  }));
  const holders = new Map(entries.map(({ accessKeyId, holder }) => [accessKeyId, holder]));
  return {
    credentialsFor: (functionArn) => {
      const found = entries.find(({ holder }) => holder.arn === functionArn);
      if (found === undefined) throw new Error(`${functionArn} is none of the stack's functions`);
      const { holder: _holder, ...credentials } = found;
      return credentials;
    },
    holderOf: (accessKeyId) => holders.get(accessKeyId),
  };
};
