/** The context keys on how clients and the provider reach a deployment: docs/deployment.md. */
import * as z from "zod";

/** A domain name in lower case, without a dot at its end. */
const domainName = z
  .string()
  .max(253)
  .regex(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/, "expected a domain name in lower case");
const certificate = z.string().regex(/^arn:[^:]+:acm:/, "expected the ARN of a certificate");

export const networkKeys = {
  /** The region to deploy to; default: the command line's. */
  region: z
    .string()
    .regex(/^[a-z]{2,4}(-[a-z]+)+-\d$/, "expected a region such as eu-central-1")
    .optional(),
  /** A domain name of the API, with its certificate in the API's region. */
  domainName: domainName.optional(),
  certificateArn: certificate.optional(),
  /** Where webhooks arrive; the default depends on the region (regions.ts). */
  webhookEntrance: z.enum(["url", "api", "both"]).optional(),
  /** A domain name of the webhooks, with its certificate in the API's region. */
  webhookDomainName: domainName.optional(),
  webhookCertificateArn: certificate.optional(),
  /** The public hosted zone of Route 53 that gets the records of the domain names. */
  hostedZoneId: z
    .string()
    .regex(/^Z[A-Z0-9]{1,31}$/, "expected the id of a hosted zone")
    .optional(),
  hostedZoneName: domainName.optional(),
  /** `dualstack` lets clients call the API over IPv6, too. */
  ipAddressType: z.enum(["ipv4", "dualstack"]).default("ipv4"),
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
