/**
 * An event of the provider as a webhook delivers it, and what is stored of it: its name, its times and its observations.
 * The payload and the signature are not stored.
 *
 * To follow a webhook to its record, read in this order:
 *
 * 1. functions/webhooks/receive-webhook.ts, webhook-handler.ts (HTTP), receive.ts or receive-platform.ts (check) with
 *    webhook-connection-store.ts, provider/stripe/verify-signature.ts and events.ts; accept-event.ts (stores, publishes) with
 *    webhook-event-store.ts, webhook-outbox.ts.
 * 2. The bus brings the event to a queue: functions/webhooks/process-webhook.ts, process.ts.
 * 3. records/apply.ts with observation.ts, decide-apply.ts, record-item.ts, record-store.ts.
 *
 * delivery.ts and delivery-store.ts list stored events for clients, replay-delivery.ts has one processed again.
 * wiring/webhooks.ts only wires; webhook-security-events.ts only reports. docs/webhooks.md.
 */
import * as z from "zod/mini";
import type { ProviderEvent } from "../provider/provider.ts";
import type { ObjectTouched, Observation } from "../records/observation.ts";
import { type RecordType, recordFields, recordTypes } from "../records/record.ts";
import { isId } from "../terms/id.ts";

const TYPE_MAX_CHARACTERS = 255;

/** The most bytes that the observations of a stored event take, so that the item stays below 32 KB. */
const OBSERVATIONS_MAX_BYTES = 28_000;

/** The result of processing an event. */
export const outcomes = [
  /** Its observations are applied to the records. */
  "applied",
  /** At least one of its objects cannot be stored, which WEBHOOK_NOT_APPLIED says; the others are applied. */
  "set_aside",
  /** Its type has no meaning for the service. */
  "unknown",
  /** It belongs to an account or a connection that the organization does not have, or no longer has. */
  "ignored",
  /** It revoked the service's permission, and the connection was removed. */
  "disconnected",
] as const;
export type Outcome = (typeof outcomes)[number];

/** A stored event. Times are epoch ms, except the provider's own. */
export type WebhookEvent = ProviderEvent & {
  /** The object that it is about, if that is a record. */
  objectId?: string;
  /** The organization's connection and account when it arrived. */
  connectionId: string;
  accountId: string;
  receivedAt: number;
  processedAt?: number;
  outcome?: Outcome;
};

/** The stored name of `observedAt`. */
const seenAt = z.object({ from: z.number(), to: z.number() });
const id = z.string();

const stateOf = <Type extends RecordType>(type: Type) =>
  z.object({
    kind: z.literal("state"),
    type: z.literal(type),
    id,
    createdAt: z.number(),
    fields: recordFields[type],
    seenAt,
  });

type StateSchema = { [Type in RecordType]: ReturnType<typeof stateOf<Type>> }[RecordType];

const StoredObservation = z.union([
  z.union(recordTypes.map((type) => stateOf(type)) as [StateSchema, ...StateSchema[]]),
  z.object({
    kind: z.literal("deleted"),
    type: z.enum(recordTypes),
    id,
    createdAt: z.exactOptional(z.number()),
    seenAt,
  }),
  z.object({ kind: z.literal("touched"), type: z.enum(recordTypes), id, seenAt }),
  z.object({ kind: z.literal("linked"), type: z.literal("payments"), id, invoiceId: z.string(), seenAt }),
]);

/** The observations of a stored event. */
export const decodeObservations = (json: string): Observation[] =>
  z
    .array(StoredObservation)
    .parse(JSON.parse(json))
    .map(({ seenAt: observedAt, ...one }) => ({ ...one, observedAt }));

const encode = (observations: readonly Observation[]): string =>
  JSON.stringify(observations.map(({ observedAt, ...one }) => ({ ...one, seenAt: observedAt })));

/** A touch in place of a state: the object must be read. */
export const touchOf = ({ type, id, observedAt }: Observation): ObjectTouched => ({
  kind: "touched",
  type,
  id,
  observedAt,
});

/** Observations as JSON to store. If they are too large, states become touches. */
export const encodeObservations = (observations: readonly Observation[]): string => {
  const json = encode(observations);
  if (Buffer.byteLength(json) <= OBSERVATIONS_MAX_BYTES) return json;
  return encode(observations.map((one) => (one.kind === "state" ? touchOf(one) : one)));
};

/** Whether an event's id and type are within the limits. The id is never the key of the item `#gap` beside the events. */
export const isStorable = ({ id, type }: Pick<ProviderEvent, "id" | "type">): boolean =>
  isId(id) && type.length <= TYPE_MAX_CHARACTERS;

/** Whether an event needs processing. */
export const needsProcessing = ({ observations, setAside = [], isDeauthorization, money }: ProviderEvent): boolean =>
  observations.length > 0 || setAside.length > 0 || isDeauthorization || money !== undefined;

/** If an event arrives this late, earlier deliveries have failed. */
const LATE_MS = 600_000;

/** Whether an event arrived so late that other events may be missing. */
export const isLate = ({ createdSeconds, receivedAt }: Pick<WebhookEvent, "createdSeconds" | "receivedAt">): boolean =>
  receivedAt - createdSeconds * 1_000 > LATE_MS;
