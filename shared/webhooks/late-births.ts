/**
 * A state that is told late, of an object of which there is no record, may be of one that was deleted meanwhile: before
 * the last full run, which so never met it, and by an event that never came. It would then come to life for ever. Such
 * an object is read at the provider.
 */
import type { Observation } from "../provider/provider.ts";
import type { StoredRecord } from "../records/record-item.ts";
import type { RecordKey } from "../records/record-keys.ts";
import { touchOf, type WebhookEvent } from "./webhook-event.ts";

/** Each run reads the feed's last 60 s again; half of that leaves room for clocks that differ. */
const TRUSTED_MS = 30_000;

/** Reads records strongly, those that exist. @param keys each once. */
export type ReadRecords = (organizationId: string, keys: readonly RecordKey[]) => Promise<readonly StoredRecord[]>;

const nameOf = ({ type, id }: RecordKey): string => `${type}#${id}`;

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
  const states = new Map(observations.filter(({ kind }) => kind === "state").map((state) => [nameOf(state), state]));
  if (states.size === 0) return observations;
  const records = await readRecords(
    organizationId,
    [...states.values()].map(({ type, id }) => ({ type, id })),
  );
  const stored = new Set(records.map(nameOf));
  return observations.map((one) => (one.kind === "state" && !stored.has(nameOf(one)) ? touchOf(one) : one));
};
