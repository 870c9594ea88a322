/** What AWS lacks in some regions, as far as the service needs it. Looked up on 2026-11-22, SES and China on 2026-11-28. */
import type { WebhookEntranceKind } from "./constructs/resources/deployment-config.ts";
import { ContextError } from "./context-problems.ts";

/**
 * Regions of the commercial partition without Lambda function URLs.
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/urls-configuration.html
 */
const REGIONS_WITHOUT_FUNCTION_URLS = [
  "ap-east-2",
  "ap-south-2",
  "ap-southeast-4",
  "ap-southeast-5",
  "ap-southeast-6",
  "ap-southeast-7",
  "ca-west-1",
  "eu-central-2",
  "eu-south-2",
  "il-central-1",
  "me-central-1",
];

/**
 * The regions of the partitions that have no function URLs at all.
 * Sources: https://docs.amazonaws.cn/en_us/aws/latest/userguide/lambda.html (China),
 * https://docs.aws.amazon.com/govcloud-us/latest/UserGuide/govcloud-lambda.html (GovCloud).
 */
const PARTITION_WITHOUT_FUNCTION_URLS = /^(cn|us-gov)-/;

/**
 * Regions of the commercial partition without Amazon SES. China has no SES either, GovCloud has it.
 * Sources: https://docs.aws.amazon.com/general/latest/gr/ses.html, and the endpoints of botocore 1.43.
 */
const REGIONS_WITHOUT_SES = [
  "ap-east-1",
  "ap-east-2",
  "ap-southeast-4",
  "ap-southeast-6",
  "ap-southeast-7",
  "eu-south-2",
  "mx-central-1",
];

const isChina = (region: string | undefined): region is string => region?.startsWith("cn-") === true;

/** The isolated partitions, such as us-iso-east-1. */
const ISOLATED_PARTITION = /^[a-z]+-iso/;

type Wishes = {
  region: string | undefined;
  webhookEntrance: WebhookEntranceKind | undefined;
  webhookDomainName: string | undefined;
};

/**
 * The entrance of webhooks. In a partition without function URLs, the default is the HTTP API. In a single region
 * without them, the operator must choose, because the address cannot follow when AWS adds function URLs there.
 * @throws ContextError if the region has no function URLs but the entrance needs one.
 */
export const chooseWebhookEntrance = ({ region, webhookEntrance, webhookDomainName }: Wishes): WebhookEntranceKind => {
  const isPartitionWithout = region !== undefined && PARTITION_WITHOUT_FUNCTION_URLS.test(region);
  const entrance = webhookEntrance ?? (webhookDomainName !== undefined || isPartitionWithout ? "api" : "url");
  const isRegionWithout = region !== undefined && REGIONS_WITHOUT_FUNCTION_URLS.includes(region);
  if (entrance === "api" || !(isPartitionWithout || isRegionWithout)) return entrance;
  throw new ContextError(
    `AWS Lambda has no function URLs in the region ${region}: add --context webhookEntrance=api, so that webhooks arrive at an HTTP API instead.`,
  );
};

/**
 * Lambda's X-Ray tracing does not exist in China.
 * Source: https://docs.amazonaws.cn/en_us/aws/latest/userguide/lambda.html
 * @throws ContextError if tracing is asked for in a region without it.
 */
export const requireTracingIn = (region: string | undefined): void => {
  if (isChina(region)) {
    throw new ContextError(`AWS X-Ray does not trace Lambda functions in the region ${region}: leave xrayTracing out.`);
  }
};

/**
 * KMS has Ed25519 keys (ECC_NIST_EDWARDS25519), which sign the checkpoints, in all regions, those of GovCloud and China
 * included. It has not announced them for isolated partitions.
 * Sources: AWS's announcement of 2025-11-07, as others quote it; the history of
 * https://docs.amazonaws.cn/kms/latest/developerguide/dochistory.html (China).
 * @throws ContextError in an isolated partition.
 */
export const requireSigningKeysIn = (region: string | undefined): void => {
  if (region === undefined || !ISOLATED_PARTITION.test(region)) return;
  throw new ContextError(
    `AWS KMS has no keys of the type ECC_NIST_EDWARDS25519 in the region ${region}, and the service signs its log with one: deploy to another region.`,
  );
};

/** @throws ContextError if a sender of mails is given in a region without Amazon SES. */
export const requireSesIn = (region: string | undefined): void => {
  if (region === undefined || !(isChina(region) || REGIONS_WITHOUT_SES.includes(region))) return;
  throw new ContextError(
    `Amazon SES does not exist in the region ${region}, and mails are sent from the region of the deployment: leave emailSender out.`,
  );
};

/**
 * What to know before a deployment to China; undefined elsewhere. The functions verify tokens themselves, so no route has an
 * authorizer of API Gateway. Source: https://docs.amazonaws.cn/en_us/aws/latest/userguide/api-gateway.html
 */
export const licenceWarning = (region: string | undefined): string | undefined =>
  isChina(region)
    ? `In the region ${region}, API Gateway refuses requests to APIs without an authorizer, such as this one, unless the account has an ICP licence. docs/deployment.md, "Regions".`
    : undefined;
