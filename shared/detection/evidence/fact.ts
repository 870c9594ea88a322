/**
 * A fact is the part of a security event that detection reads. Facts of one hour are stored if a window reaches into the
 * next, so they are small. Pure. docs/detection.md.
 */
import * as z from "zod/mini";
import { definedFields } from "../../json/defined-fields.ts";
import { UserFailures } from "../../security/flood-tally.ts";
import { categories, type SecurityEvent, sources } from "../../security/security-event.ts";
import { catalogueEntry } from "../../terms/error-catalogue.ts";
import { riskLevels } from "../../terms/risk-levels.ts";

const text = z.string();
const number = z.number();

const metadataFields = {
  /** The permission that the refused request lacked. */
  permission: z.optional(text),
  /** Of a count of a flood: the failures, and the users concerned. */
  failures: z.optional(number),
  users: z.optional(number),
  /** Those users of a count who have the most failures, with the first networks of these and the time of the last. */
  busiest: z.optional(z.array(UserFailures)),
  /** Of an operation against the provider. */
  attempts: z.optional(number),
  rateLimited: z.optional(number),
  pacedMs: z.optional(number),
  durationMs: z.optional(number),
  /** Of a sync run. */
  trigger: z.optional(text),
  /** A finding was raised when it happened; the hourly rules do not count it again. */
  judgedAtOnce: z.optional(z.boolean()),
};

/** `at` in epoch ms; the last fields come from the event's metadata. */
export const Fact = z.object({
  id: text,
  at: number,
  type: text,
  category: z.enum(categories),
  riskLevel: z.enum(riskLevels),
  source: z.enum(sources),
  success: z.boolean(),
  userId: z.optional(text),
  ipAddress: z.optional(text),
  /** For own rules of the hour; it is not carried into later hours. */
  resource: z.optional(text),
  resourceType: z.optional(text),
  action: z.optional(text),
  errorCode: z.optional(text),
  ...metadataFields,
});
export type Fact = z.output<typeof Fact>;

const Metadata = z.object(metadataFields);

/** The fact of an event. If any field of the metadata has the wrong type, none of them is read. */
export const factOf = (event: SecurityEvent): Fact => {
  const { id, timestamp, eventType, category, riskLevel, source, success } = event;
  const { userId, ipAddress, resource, resourceType, action, errorCode } = event;
  const metadata = Metadata.safeParse(event.metadata).data ?? {};
  return Fact.parse({
    id,
    at: timestamp,
    type: eventType,
    category,
    riskLevel,
    source,
    success,
    ...definedFields({ userId, ipAddress, resource, resourceType, action, errorCode, ...metadata }),
  });
};

/** By time, then by id; each fact once. */
export const inOrder = (facts: Iterable<Fact>): Fact[] => {
  const byId = new Map<string, Fact>();
  for (const fact of facts) byId.set(fact.id, fact);
  return [...byId.values()].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
};

/** The end of a sync run, and an operation against the provider, which has attempts. */
const isProviderWork = ({ type, attempts, action }: Fact): boolean =>
  attempts !== undefined ||
  type === "PROVIDER_SYNC_COMPLETED" ||
  type === "PROVIDER_SYNC_FAILED" ||
  action === "require_reconnect";

/** Whether a user called the API. Baselines count these. */
export const isCall = (fact: Fact): boolean => fact.source === "user" && !isProviderWork(fact);

/** The values of a call that may be new to the organization. */
export const callValues = ({ ipAddress, action, resourceType, errorCode }: Fact) => [
  { kind: "address" as const, value: ipAddress },
  { kind: "resource" as const, value: action ?? resourceType },
  { kind: "error" as const, value: errorCode },
];

/** Whether an operation reached the provider, so that its duration counts. */
export const isTimedOperation = ({ attempts = 0, durationMs, type }: Fact): boolean =>
  attempts > 0 && durationMs !== undefined && type !== "PROVIDER_TOKEN_REFRESH";

/** The `errorCode` of a request from an address that the organization does not allow. */
export const ADDRESS_NOT_ALLOWED = String(catalogueEntry("ip_address_not_allowed").number);

/** Whether a request was denied because of its address. */
export const isBlockedAddress = ({ type, errorCode }: Fact): boolean =>
  type === "PERMISSION_DENIED" && errorCode === ADDRESS_NOT_ALLOWED;

/** Whether a request contained a cursor or state of another organization: the only refusals that are CRITICAL. */
export const isForeignId = ({ type, source, riskLevel }: Fact): boolean =>
  type === "PERMISSION_DENIED" && source === "user" && riskLevel === "CRITICAL";
