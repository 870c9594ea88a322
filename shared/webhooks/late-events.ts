/**
 * What a late event still says. A full run takes its lists for the truth and applies no event from before them. One that
 * comes later yet may tell of a state that is over, while the event that ended it never came: then it would stand for
 * ever, or bring to life what was deleted. So where a late state would change anything, its object is read.
 */
import type { Observation } from "../provider/provider.ts";
import { decideApply } from "../records/decide-apply.ts";
import type { StoredRecord } from "../records/record-item.ts";
import type { RecordKey } from "../records/record-keys.ts";
import { touchOf, type WebhookEvent } from "./webhook-event.ts";

/** Each run reads the feed's last 60 s again; half of that leaves room for clocks that differ. */
const TRUSTED_MS = 30_000;

/** Reads records strongly, those that exist. @param keys each once. */
export type ReadRecords = (organizationId: string, keys: readonly RecordKey[]) => Promise<readonly StoredRecord[]>;

const nameOf = ({ type, id }: RecordKey): string => `${type}#${id}`;

const wouldChange = (observation: Observation, stored: StoredRecord | undefined): boolean => {
  const decision = decideApply(stored, { observation, invoiceId: undefined }, { recordsSightings: true });
  return decision.kind === "write" && decision.isChange;
};

/** A touch in place of a state; which invoice a payment belongs to never changes, and stays said. */
const doubt = (observation: Observation): Observation[] => {
  const touch = touchOf(observation);
  if (observation.kind !== "state" || observation.type !== "payments") return [touch];
  const { id, seenAt, fields } = observation;
  if (fields.invoiceId === null) return [touch];
  return [touch, { kind: "linked", type: "payments", id, invoiceId: fields.invoiceId, seenAt }];
};

/**
 * What an event says, as far as it can be trusted by now. One read unit for each object of an event that is late.
 * @param now epoch ms.
 * @throws DomainError `store_unavailable`.
 */
export const trustedObservations = async (
  readRecords: ReadRecords,
  organizationId: string,
  { observations, createdSeconds }: Pick<WebhookEvent, "observations" | "createdSeconds">,
  now: number,
): Promise<readonly Observation[]> => {
  if (now - createdSeconds * 1_000 <= TRUSTED_MS) return observations;
  const states = observations.filter(({ kind }) => kind === "state");
  if (states.length === 0) return observations;
  const keys = new Map(states.map(({ type, id }) => [nameOf({ type, id }), { type, id }]));
  const records = await readRecords(organizationId, [...keys.values()]);
  const stored = new Map(records.map((record) => [nameOf(record), record]));
  return observations.flatMap((one) =>
    one.kind === "state" && wouldChange(one, stored.get(nameOf(one))) ? doubt(one) : [one],
  );
};
