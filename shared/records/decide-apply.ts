/**
 * What an observation does to the stored record, so that an older state never replaces a newer one, in whatever order
 * observations come. What cannot be ordered is read again. Pure. docs/sync.md, "Applying what was seen".
 */

import type { Sighting } from "./coalesce.ts";
import { compareSeen, laterSeen } from "./compare-seen.ts";
import { areEqual, invoiceOf, isFinal, withInvoice } from "./fields.ts";
import type { ObjectDeleted, ObjectState } from "./observation.ts";
import type { RecordFields } from "./record.ts";
import type { StoredRecord } from "./record-item.ts";

/** What to write of a record; who writes it adds the time and a version. */
export type RecordContent = Pick<StoredRecord, "createdAt" | "fields" | "seenAt">;

/** `isChange` where more than the time of the last sighting is new. */
export type RecordWrite = { kind: "write"; content: RecordContent; isChange: boolean };

export type Decision =
  | { kind: "keep" }
  | RecordWrite
  /** The object must be read at the provider, after the stored record was put in question. */
  | { kind: "reread" };

type LiveRecord = StoredRecord & { fields: RecordFields };

const keep: Decision = { kind: "keep" };
const reread: Decision = { kind: "reread" };
const write = (content: RecordContent): Decision => ({ kind: "write", content, isChange: true });

/** Only the time of a sighting moves on. */
const sight = ({ createdAt, fields }: LiveRecord, seenAt: StoredRecord["seenAt"]): Decision => ({
  kind: "write",
  content: { createdAt, fields, seenAt },
  isChange: false,
});

const isLive = (stored: StoredRecord): stored is LiveRecord => stored.fields !== undefined;

/** The record stays as it is, but for a link that it lacks. */
const keepWithInvoice = ({ createdAt, fields, seenAt }: LiveRecord, invoiceId: string | undefined): Decision => {
  const linked = withInvoice(fields, invoiceId);
  return linked === fields ? keep : write({ createdAt, fields: linked, seenAt });
};

const bury = (stored: StoredRecord | undefined, { createdAt, seenAt }: ObjectDeleted): Decision =>
  write({
    createdAt: stored?.createdAt ?? createdAt ?? seenAt.from * 1_000,
    fields: undefined,
    seenAt: stored === undefined ? seenAt : laterSeen(seenAt, stored.seenAt),
  });

const decideState = (
  stored: LiveRecord,
  state: ObjectState,
  invoiceId: string | undefined,
  recordsSightings: boolean,
): Decision => {
  const order = compareSeen(state.seenAt, stored.seenAt);
  if (order === "older") return keepWithInvoice(stored, invoiceId);
  const { createdAt } = state;
  const seenAt = laterSeen(state.seenAt, stored.seenAt);
  const fields = withInvoice(state.fields, invoiceOf(stored.fields));
  if (areEqual(fields, stored.fields)) {
    const isLater = recordsSightings && seenAt.to > stored.seenAt.to;
    return isLater || stored.isInQuestion ? sight(stored, seenAt) : keep;
  }
  if (order === "newer") return write({ createdAt, fields, seenAt });
  // The same second: only what cannot have happened before the other is known to be later.
  if (isFinal(stored.type, stored.fields) || areEqual(fields, withInvoice(stored.fields, invoiceId))) {
    return keepWithInvoice(stored, invoiceId);
  }
  return isFinal(state.type, fields) ? write({ createdAt, fields, seenAt }) : reread;
};

/**
 * @param stored as it was read; undefined where there is none.
 * @param recordsSightings whether an unchanged record is written when it was seen again later. Where it is not, an
 *   older state that is delivered later may replace it for a while: so only where the events of all changes are
 *   applied as well.
 */
export const decideApply = (
  stored: StoredRecord | undefined,
  { observation, invoiceId }: Pick<Sighting, "observation" | "invoiceId">,
  { recordsSightings }: { recordsSightings: boolean },
): Decision => {
  if (stored !== undefined && !isLive(stored)) return keep;
  switch (observation.kind) {
    case "deleted":
      return bury(stored, observation);
    case "state":
      if (stored !== undefined) return decideState(stored, observation, invoiceId, recordsSightings);
      return write({ createdAt: observation.createdAt, fields: observation.fields, seenAt: observation.seenAt });
    case "touched":
      if (stored === undefined) return reread;
      return compareSeen(stored.seenAt, observation.seenAt) === "newer" || isFinal(stored.type, stored.fields)
        ? keepWithInvoice(stored, invoiceId)
        : reread;
    case "linked":
      return stored === undefined ? reread : keepWithInvoice(stored, invoiceId);
  }
};

/**
 * What the provider's answer does to the record that was put in question before. The answer is not older, whatever the
 * times say. That the record is as the answer says is written, too: others may have got another answer before.
 */
export const decideAnswered = (stored: StoredRecord | undefined, answer: Sighting): Decision => {
  const { observation } = answer;
  if (stored === undefined || !isLive(stored) || observation.kind !== "state") {
    return decideApply(stored, answer, { recordsSightings: true });
  }
  const seenAt = laterSeen(observation.seenAt, stored.seenAt);
  const fields = withInvoice(observation.fields, invoiceOf(stored.fields));
  return areEqual(fields, stored.fields)
    ? sight(stored, seenAt)
    : write({ createdAt: observation.createdAt, fields, seenAt });
};
