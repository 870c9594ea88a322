/**
 * Calls of AWS's APIs with the caller's own credentials. Commands that need a few operations of many services sign their requests
 * here: a client of the SDK for each service would be a dozen more packages (docs/decisions.md, "Deployment").
 */
import { setTimeout as wait } from "node:timers/promises";
import { parseXML } from "@aws-sdk/xml-builder";
import { SignatureV4 } from "@smithy/signature-v4";
import type { Input, Operation } from "./operation.ts";
import { Sha256 } from "./sha256.ts";

const TIMEOUT_MS = 10_000;
/** Waits before a repetition. AWS refuses callers that are too fast, and may fail for a moment. */
const REPEAT_AFTER_MS = [300, 1_000];

/** AWS refused or failed. The message is AWS's own. */
export class AwsError extends Error {
  /** Such as `AccessDeniedException`; `NoAnswer` if none came. */
  readonly code: string;
  /** The operation, as in its permission: `acm:DescribeCertificate`. */
  readonly operation: string;

  constructor(code: string, operation: string, message: string) {
    super(message);
    this.code = code;
    this.operation = operation;
  }

  /** The caller has no right to the operation. */
  get isDenied(): boolean {
    return /access.?denied|unauthorized|authorizationerror/i.test(this.code);
  }

  /** There is no such resource. */
  get isMissing(): boolean {
    return /not.?found|no.?such|nonexist/i.test(this.code);
  }
}

/** The answer, or undefined if AWS says that there is no such resource. */
export const orUndefined = async <Answer>(answer: Promise<Answer>): Promise<Answer | undefined> => {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof AwsError && error.isMissing) return undefined;
    throw error;
  }
};

export type CallAws = <Given extends Input, Output>(
  operation: Operation<Given, Output>,
  input: Given,
  /** Another region than the caller's. */
  region?: string,
) => Promise<Output>;

/** Services that have one endpoint in a partition, with the region in which their requests are signed. */
const GLOBAL: Readonly<Record<string, Readonly<Record<Partition, { host: string; region: string }>>>> = {
  iam: {
    aws: { host: "iam.amazonaws.com", region: "us-east-1" },
    "aws-cn": { host: "iam.cn-north-1.amazonaws.com.cn", region: "cn-north-1" },
    "aws-us-gov": { host: "iam.us-gov.amazonaws.com", region: "us-gov-west-1" },
  },
  route53: {
    aws: { host: "route53.amazonaws.com", region: "us-east-1" },
    "aws-cn": { host: "route53.amazonaws.com.cn", region: "cn-northwest-1" },
    "aws-us-gov": { host: "route53.us-gov.amazonaws.com", region: "us-gov-west-1" },
  },
};

type Partition = "aws" | "aws-cn" | "aws-us-gov";

/** The partition of a region. Isolated partitions are not supported. */
export const partitionOf = (region: string): Partition => {
  if (region.startsWith("cn-")) return "aws-cn";
  return region.startsWith("us-gov-") ? "aws-us-gov" : "aws";
};

const addressOf = (endpoint: string, region: string): { host: string; region: string } => {
  const partition = partitionOf(region);
  const suffix = partition === "aws-cn" ? "amazonaws.com.cn" : "amazonaws.com";
  return GLOBAL[endpoint]?.[partition] ?? { host: `${endpoint}.${region}.${suffix}`, region };
};

type Answer = { status: number; errorType: string | null; text: string };

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});

type Named = Pick<Operation<Input, unknown>, "format" | "name">;

/** The content of an answer. The query protocol wraps it twice: `<XResponse><XResult>`; others once. */
const contentOf = (text: string, { format, name }: Named): unknown => {
  if (format === "json") return text === "" ? {} : JSON.parse(text);
  const [root] = Object.values(fieldsOf(parseXML(text)));
  return fieldsOf(root)[`${name}Result`] ?? root;
};

const errorOf = ({ status, errorType, text }: Answer, operation: Named) => {
  let content: Fields = {};
  try {
    content = fieldsOf(contentOf(text, operation));
  } catch {
    // A proxy answered, not AWS.
  }
  const error = operation.format === "xml" ? fieldsOf(content.Error) : content;
  const code = errorType ?? error.__type ?? error.Code ?? error.code ?? `HTTP ${status}`;
  const message = error.message ?? error.Message ?? "no message";
  // `com.amazonaws.acm#Code` or `Code:http://…`.
  const [bare = ""] = String(code).replace(/^.*#/, "").split(":");
  return { code: bare, message: String(message) };
};

const isPassing = (status: number, code: string) => status >= 500 || /throttl|toomanyrequests|slowdown/i.test(code);

type Options = {
  region: string;
  credentials: ConstructorParameters<typeof SignatureV4>[0]["credentials"];
  /** An address that takes the place of every service's, as the SDK's variable AWS_ENDPOINT_URL. */
  endpointUrl?: string | undefined;
};

/** @returns calls that throw an AwsError if AWS refuses, fails, or does not answer in time. */
export const createAwsCaller =
  ({ region: ownRegion, credentials, endpointUrl }: Options): CallAws =>
  async (operation, input, regionOfCall = ownRegion) => {
    const { endpoint, signingName, name, format, output } = operation;
    const { host, region } = addressOf(endpoint, regionOfCall);
    const permission = `${signingName}:${name}`;
    const { method, path, query = {}, headers = {}, body } = operation.request(input);
    const base = new URL(endpointUrl ?? `https://${host}`);
    const signer = new SignatureV4({ service: signingName, region, credentials, sha256: Sha256 });

    const attempt = async (): Promise<Answer> => {
      const signed = await signer.sign({
        method,
        protocol: base.protocol,
        hostname: base.hostname,
        path,
        query,
        headers: { ...headers, host: base.host },
        ...(body !== undefined && { body }),
      });
      const url = new URL(path, base);
      for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
      try {
        const response = await fetch(url, {
          method,
          headers: signed.headers,
          ...(body !== undefined && { body }),
          signal: AbortSignal.timeout(TIMEOUT_MS),
        });
        const errorType = response.headers.get("x-amzn-errortype");
        return { status: response.status, errorType, text: await response.text() };
      } catch (error) {
        const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
        throw new AwsError("NoAnswer", permission, cause instanceof Error ? cause.message : String(cause));
      }
    };

    for (let repeated = 0; ; repeated++) {
      const answer = await attempt();
      if (answer.status < 300) return output.parse(contentOf(answer.text, { format, name }));
      const { code, message } = errorOf(answer, operation);
      const pause = REPEAT_AFTER_MS[repeated];
      if (pause === undefined || !isPassing(answer.status, code)) throw new AwsError(code, permission, message);
      await wait(pause);
    }
  };
