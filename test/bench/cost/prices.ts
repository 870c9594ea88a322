/**
 * Public prices on demand in us-east-1, without free tiers, read in November 2026. Other commercial regions cost up to
 * a third more.
 */
export const PRICES_READ_ON = "November 2026";

const MILLION = 1_000_000;
const GIGABYTE = 2 ** 30;

/** USD for one of each. */
export const prices = {
  /** https://aws.amazon.com/dynamodb/pricing/on-demand/ */
  readUnit: 0.125 / MILLION,
  writeUnit: 0.625 / MILLION,
  /** A month, with the point-in-time recovery that the stack switches on (0.25 and 0.20 USD per GB). */
  storedByte: 0.45 / GIGABYTE,
  /** https://aws.amazon.com/lambda/pricing/, on Arm. Initialisation is billed since August 2025. */
  invocation: 0.2 / MILLION,
  gigabyteSecond: 0.0000133334,
  /** Per 64 KB. https://aws.amazon.com/eventbridge/pricing/ */
  busEvent: 1 / MILLION,
  /** https://aws.amazon.com/sqs/pricing/ */
  queueRequest: 0.4 / MILLION,
  /** https://aws.amazon.com/ses/pricing/ */
  mail: 0.1 / 1_000,
  /** PUT, LIST and the steps of an upload; GET. https://aws.amazon.com/s3/pricing/ */
  objectWrite: 0.005 / 1_000,
  objectRead: 0.0004 / 1_000,
  /** A month. */
  objectByte: 0.023 / GIGABYTE,
  /** HTTP API, the first 300 million. https://aws.amazon.com/api-gateway/pricing/ */
  apiRequest: 1 / MILLION,
  /** https://aws.amazon.com/kms/pricing/ */
  kmsCall: 0.03 / 10_000,
  /** "Asymmetric requests except RSA 2048", which have no free tier: as others quote AWS's price list in October 2026. */
  signingCall: 0.15 / 10_000,
  keyMonth: 1,
  /** https://aws.amazon.com/secrets-manager/pricing/ */
  secretMonth: 0.4,
  /** https://aws.amazon.com/cloudwatch/pricing/ */
  logByte: 0.5 / GIGABYTE,
  /** Of each metric that an alarm watches. */
  alarmMetricMonth: 0.1,
  dashboardMonth: 3,
} as const;

/**
 * Default quotas of an account, where they differ by region: the highest, in us-east-1, and the lowest. Read in
 * November 2026.
 */
export const quotas = {
  /** New accounts start lower. https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
  concurrency: { highest: 1_000, lowest: 10 },
  /** Requests a second. https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html */
  apiRequests: { highest: 10_000, lowest: 2_500 },
  /** A second. https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html */
  busEvents: { highest: 10_000, lowest: 400 },
  busInvocations: { highest: 18_750, lowest: 750 },
  /** Units a second of one table on demand. https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html */
  tableWrites: { highest: 40_000, lowest: 40_000 },
  tableReads: { highest: 40_000, lowest: 40_000 },
  /** Symmetric operations a second. https://docs.aws.amazon.com/kms/latest/developerguide/requests-per-second.html */
  kmsCalls: { highest: 100_000, lowest: 10_000 },
} as const;
