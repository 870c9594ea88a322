/** The context keys on how clients and the provider reach a deployment: docs/deployment.md. */
import * as z from "zod";
import { isProtected } from "./stage-context.ts";

/** A domain name in lower case, without a dot at its end. */
const domainName = z
  .string("expected a domain name in lower case")
  .max(253, "expected a domain name of at most 253 characters")
  .regex(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/, "expected a domain name in lower case");
const certificate = z
  .string("expected the ARN of a certificate")
  .regex(/^arn:[^:]+:acm:/, "expected the ARN of a certificate");

const headerName = z
  .string("expected the name of a header")
  .regex(/^[a-z0-9-]{1,64}$/, "expected the name of a header in lower case");

const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?$/;

const isOrigin = (text: string): boolean =>
  URL.canParse(text) && new URL(text).origin === text && !text.includes("*") && /^https:/.test(text);

const splitOrigins = (text: string, context: z.core.$RefinementCtx): string[] => {
  const origins = text === "" ? [] : text.split(",");
  for (const origin of origins) {
    if (isOrigin(origin) || LOOPBACK.test(origin)) continue;
    const message = `expected origins such as https://app.example.com, without a wildcard or a path, not ${JSON.stringify(origin)}`;
    context.addIssue({ code: "custom", message });
  }
  return origins;
};

export const networkKeys = {
  /** The region to deploy to; default: the command line's. */
  region: z
    .string("expected a region such as eu-central-1")
    .regex(/^[a-z]{2,4}(-[a-z]+)+-\d$/, "expected a region such as eu-central-1")
    .optional(),
  /** A domain name of the API, with its certificate in the API's region. */
  domainName: domainName.optional(),
  certificateArn: certificate.optional(),
  /** Where webhooks arrive; the default depends on the region (regions.ts). */
  webhookEntrance: z.enum(["url", "api", "both"], "expected url, api or both").optional(),
  /** A domain name of the webhooks, with its certificate in the API's region. */
  webhookDomainName: domainName.optional(),
  webhookCertificateArn: certificate.optional(),
  /** The public hosted zone of Route 53 that gets the records of the domain names. */
  hostedZoneId: z
    .string("expected the id of a hosted zone")
    .regex(/^Z[A-Z0-9]{1,31}$/, "expected the id of a hosted zone")
    .optional(),
  hostedZoneName: domainName.optional(),
  /** The origins of web pages that may call the API, comma-separated: `https://app.example.com,https://admin.example.com`. */
  allowedOrigins: z.string("expected origins, comma-separated").transform(splitOrigins).default([]),
  /** Behind a CDN: the header with the client's address, and the SHA-256 hashes of the secret that the CDN adds. */
  clientAddressHeader: headerName
    .refine(
      (name) => name !== "x-forwarded-for",
      "x-forwarded-for is a list that clients can begin: use another header",
    )
    .optional(),
  originSecretHeader: headerName.default("x-origin-secret"),
  originSecretHashes: z
    .string("expected one or two SHA-256 hashes")
    .regex(/^[0-9a-f]{64}(,[0-9a-f]{64})?$/, "expected one or two SHA-256 hashes in lower-case hex, comma-separated")
    .optional(),
  /** `dualstack` lets clients call the API over IPv6, too. */
  ipAddressType: z.enum(["ipv4", "dualstack"], "expected ipv4 or dualstack").default("ipv4"),
};

type Check<Context> = (payload: z.core.ParsePayload<Context>) => void;

/** Adds an issue if the context breaks the rule. */
const rule =
  <Context>(isKept: (context: Context) => boolean, message: string): Check<Context> =>
  ({ value, issues }) => {
    if (!isKept(value)) issues.push({ code: "custom", input: value, message });
  };

/** Requires that both keys are given, or neither. */
export const together = (first: string, second: string) =>
  rule<Readonly<Record<string, unknown>>>(
    (context) => (context[first] === undefined) === (context[second] === undefined),
    `${first} and ${second} go together: give both or neither`,
  );

type NetworkContext = z.output<z.ZodObject<typeof networkKeys>>;

/** Whether the zone contains the domain names, at least one. */
const zoneFits = ({ hostedZoneName: zone, domainName, webhookDomainName }: NetworkContext): boolean => {
  const names = [domainName, webhookDomainName].filter((name) => name !== undefined);
  return zone === undefined || (names.length > 0 && names.every((name) => name === zone || name.endsWith(`.${zone}`)));
};

export const networkChecks = [
  together("domainName", "certificateArn"),
  together("webhookDomainName", "webhookCertificateArn"),
  together("hostedZoneId", "hostedZoneName"),
  together("clientAddressHeader", "originSecretHashes"),
  rule<NetworkContext>(
    ({ clientAddressHeader, originSecretHeader }) => clientAddressHeader !== originSecretHeader,
    "clientAddressHeader and originSecretHeader must differ: one has the client's address, the other the secret",
  ),
  rule<NetworkContext & { stage: string; protected?: boolean | undefined }>(
    (context) => !isProtected(context) || !context.allowedOrigins.some((origin) => LOOPBACK.test(origin)),
    "allowedOrigins: a protected stage allows no pages of a local server",
  ),
  rule<NetworkContext>(
    ({ domainName, webhookDomainName }) => domainName === undefined || domainName !== webhookDomainName,
    "domainName and webhookDomainName must differ: each belongs to an API of its own",
  ),
  rule<NetworkContext>(
    ({ webhookEntrance, webhookDomainName }) => webhookEntrance !== "url" || webhookDomainName === undefined,
    "webhookDomainName needs webhookEntrance api or both: a function URL cannot have a domain name",
  ),
  rule<NetworkContext>(
    zoneFits,
    "hostedZoneName must contain domainName and webhookDomainName, and needs at least one of them",
  ),
];
