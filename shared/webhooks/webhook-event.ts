/**
 * Events of the provider as its webhooks bring them, and what is kept of each: its name, its times and the observations
 * made from it. The payload, the signature and whatever is no field of a record are not kept. docs/webhooks.md.
 */
import * as z from "zod/mini";
import type { ProviderEvent } from "../provider/provider.ts";
import type { ObjectTouched, Observation } from "../records/observation.ts";
import { type RecordType, recordFields, recordTypes } from "../records/record.ts";

/** An event's id is the key that it is stored under, and no key of what lies beside events (gap-store.ts). */
export const EVENT_ID = /^\w[\w.:-]{0,254}$/;
export const TYPE_MAX_CHARACTERS = 255;

/** What the observations of a stored event take at most, in bytes; with the rest it stays below 32 KB. */
export const OBSERVATIONS_MAX_BYTES = 28_000;

/** What became of an event. */
export const outcomes = [
  /** Its observations are in the records. */
  "applied",
  /** It is none of our business. */
  "unknown",
  /** It belongs to an account or a connection that is not the organization's (any more). */
  "ignored",
  /** It took our permission away, and the connection is gone. */
  "disconnected",
] as const;
export type Outcome = (typeof outcomes)[number];

/** A stored event. Times in epoch ms, but for the provider's own. */
export type WebhookEvent = ProviderEvent & {
  /** The object that it is about, where one of ours. */
  objectId?: string;
  /** The organization's connection and account when it arrived. */
  connectionId: string;
  accountId: string;
  receivedAt: number;
  processedAt?: number;
  outcome?: Outcome;
};

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

/** Observations as they are stored. */
export const StoredObservations = z.array(
  z.union([
    stateOf("customers"),
    stateOf("subscriptions"),
    stateOf("invoices"),
    stateOf("payments"),
    z.object({
      kind: z.literal("deleted"),
      type: z.enum(recordTypes),
      id,
      createdAt: z.exactOptional(z.number()),
      seenAt,
    }),
    z.object({ kind: z.literal("touched"), type: z.enum(recordTypes), id, seenAt }),
    z.object({ kind: z.literal("linked"), type: z.literal("payments"), id, invoiceId: z.string(), seenAt }),
  ]),
);

/** Whether an event can be stored: its id is a key, and its type has a bound. */
export const isStorable = ({ id, type }: Pick<ProviderEvent, "id" | "type">): boolean =>
  EVENT_ID.test(id) && type.length <= TYPE_MAX_CHARACTERS;

/** Whether there is anything to do for an event. */
export const concernsUs = ({ observations, isDeauthorization }: ProviderEvent): boolean =>
  observations.length > 0 || isDeauthorization;

const bytesOf = (observations: readonly Observation[]): number => Buffer.byteLength(JSON.stringify(observations));

/** That the object of an observation is to be read. */
export const touchOf = ({ type, id, seenAt }: Observation): ObjectTouched => ({ kind: "touched", type, id, seenAt });

/** Observations that may be kept: a state that is too large becomes a touch, so that the object is read anew. */
export const boundObservations = (observations: readonly Observation[]): readonly Observation[] => {
  if (bytesOf(observations) <= OBSERVATIONS_MAX_BYTES) return observations;
  return observations.map((one) => (one.kind === "state" ? touchOf(one) : one));
};

/** The provider was late with an event by so much that deliveries before it must have failed. */
const LATE_MS = 600_000;

/** Whether an event came so late that others may not have come at all. */
export const isLate = ({ createdSeconds, receivedAt }: Pick<WebhookEvent, "createdSeconds" | "receivedAt">): boolean =>
  receivedAt - createdSeconds * 1_000 > LATE_MS;
