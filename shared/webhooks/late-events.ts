/**
 * What an event still says whose date is long ago. Two things may be wrong with it:
 *
 * - A full run takes its lists for the truth and applies no event from before them. An event that comes later yet may
 *   tell of a state that is over, while the event that ended it never came: then it would stand for ever, or bring to
 *   life what was deleted.
 * - The provider may date its events behind its answers, which say when records were seen. Then it would be dropped as
 *   older than a record that it is newer than.
 *
 * So it is taken to be from any time until it came, and where it differs from the record its object is read.
 */

import { decideApply } from "../records/decide-apply.ts";
import type { Observation } from "../records/observation.ts";
import type { StoredRecord } from "../records/record-item.ts";
import type { RecordKey } from "../records/record-keys.ts";
import { touchOf, type WebhookEvent } from "./webhook-event.ts";

/**
 * How old an event may be that is believed, and how far our clock and the provider's may be apart: each run reads the
 * feed's last 60 s again, and half of that is room for both.
 */
const TRUSTED_MS = 30_000;

/** Reads records strongly, those that exist. @param keys each once. */
export type ReadRecords = (organizationId: string, keys: readonly RecordKey[]) => Promise<readonly StoredRecord[]>;

type DatedEvent = Pick<WebhookEvent, "observations" | "createdSeconds" | "receivedAt">;

const nameOf = ({ type, id }: RecordKey): string => `${type}#${id}`;

/** Whether it may be newer than the record, and says something else. */
const mayChange = (observation: Observation, stored: StoredRecord | undefined): boolean => {
  const decision = decideApply(stored, { observation, invoiceId: undefined }, { recordsSightings: true });
  return decision.kind === "reread" || (decision.kind === "write" && decision.isChange);
};

/** A touch in place of a state; which invoice a payment belongs to never changes, and stays said. */
const doubt = (observation: Observation): Observation[] => {
  const touch = touchOf(observation);
  if (observation.kind !== "state" || observation.type !== "payments") return [touch];
  const { id, seenAt, fields } = observation;
  if (fields.invoiceId === null) return [touch];
  return [touch, { kind: "linked", type: "payments", id, invoiceId: fields.invoiceId, seenAt }];
};

/** The same, from any time until the second `end`, or until its own where our clock is far behind the provider's. */
const until = (observation: Observation, end: number): Observation => {
  const { from, to } = observation.seenAt;
  return { ...observation, seenAt: { from, to: Math.max(to, end) } };
};

/**
 * What an event says, as far as it can be trusted by now. One read unit for each object of an event that is late.
 * @param now epoch ms.
 * @throws DomainError `store_unavailable`.
 */
export const trustedObservations = async (
  readRecords: ReadRecords,
  organizationId: string,
  { observations, createdSeconds, receivedAt }: DatedEvent,
  now: number,
): Promise<readonly Observation[]> => {
  if (now - createdSeconds * 1_000 <= TRUSTED_MS) return observations;
  const receivedSeconds = Math.floor((receivedAt + TRUSTED_MS) / 1_000);
  const states = observations.filter(({ kind }) => kind === "state");
  const keys = new Map(states.map(({ type, id }) => [nameOf({ type, id }), { type, id }]));
  const records = keys.size === 0 ? [] : await readRecords(organizationId, [...keys.values()]);
  const stored = new Map(records.map((record) => [nameOf(record), record]));
  return observations.flatMap((one) => {
    const doubted = until(one, receivedSeconds);
    if (one.kind !== "state") return [doubted];
    return mayChange(doubted, stored.get(nameOf(one))) ? doubt(doubted) : [one];
  });
};
