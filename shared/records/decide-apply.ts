/**
 * Decides how an observation changes the stored record. An older state never replaces a newer one, regardless of the
 * order of arrival. If the order is unknown, the object is read again. Pure. docs/sync.md, "Applying observations".
 */
import {
  areEqual,
  compareObserved,
  invoiceOf,
  isFinal,
  laterObserved,
  type ObjectDeleted,
  type ObjectState,
  type Observation,
  type ObservationOrder,
  type ObservedObject,
  withInvoice,
} from "./observation.ts";
import type { RecordFields } from "./record.ts";
import type { StoredRecord } from "./record-item.ts";

/** The content to write; `apply.ts` adds the time of the write and a version. */
export type RecordContent = Pick<StoredRecord, "createdAt" | "fields" | "observedAt">;

/** `isChange`: not only the time of the last observation changes. */
export type RecordWrite = { kind: "write"; content: RecordContent; isChange: boolean };

export type Decision =
  | { kind: "keep" }
  | RecordWrite
  /** The object must be read at the provider, after the stored record is marked as questioned. */
  | { kind: "reread" };

export type DecideOptions = {
  /**
   * Whether to write an unchanged record that was observed again later. If not, an older state that arrives later may
   * replace it for a while. So pass false only if the events of all changes are applied as well.
   */
  updatesObservedAt: boolean;
  /** For events of the feed: the second of the provider's answers by which the feed showed them. */
  shownBy?: number | undefined;
};

type LiveRecord = StoredRecord & { fields: RecordFields };

const keep: Decision = { kind: "keep" };
const reread: Decision = { kind: "reread" };
const write = (content: RecordContent): Decision => ({ kind: "write", content, isChange: true });

/** Writes only the time of the last observation. */
const refresh = ({ createdAt, fields }: LiveRecord, observedAt: StoredRecord["observedAt"]): Decision => ({
  kind: "write",
  content: { createdAt, fields, observedAt },
  isChange: false,
});

const isLive = (stored: StoredRecord): stored is LiveRecord => stored.fields !== undefined;

/** Keeps the record, and adds the invoice if it lacks one. */
const keepWithInvoice = ({ createdAt, fields, observedAt }: LiveRecord, invoiceId: string | undefined): Decision => {
  const linked = withInvoice(fields, invoiceId);
  return linked === fields ? keep : write({ createdAt, fields: linked, observedAt });
};

/**
 * Orders an observation and the record. A provider may date its events earlier than its answers, so an event dated before
 * an answer may be newer than it. The answer includes the event only if it began after the feed showed the event. Events
 * are in the order of their own dates. A record from an event has one second as its time, and one from an answer has more.
 */
const orderOf = (
  { observedAt }: Observation,
  { observedAt: { from, to } }: LiveRecord,
  { shownBy }: DecideOptions,
): ObservationOrder => {
  const order = compareObserved(observedAt, { from, to });
  const isOfAnswer = from < to;
  return order === "older" && isOfAnswer && shownBy !== undefined && from <= shownBy ? "unordered" : order;
};

const markDeleted = (stored: StoredRecord | undefined, { createdAt, observedAt }: ObjectDeleted): Decision =>
  write({
    createdAt: stored?.createdAt ?? createdAt ?? observedAt.from * 1_000,
    fields: undefined,
    observedAt: stored === undefined ? observedAt : laterObserved(observedAt, stored.observedAt),
  });

const decideState = (
  stored: LiveRecord,
  state: ObjectState,
  invoiceId: string | undefined,
  options: DecideOptions,
): Decision => {
  const order = orderOf(state, stored, options);
  if (order === "older") return keepWithInvoice(stored, invoiceId);
  const { createdAt } = state;
  const observedAt = laterObserved(state.observedAt, stored.observedAt);
  const fields = withInvoice(state.fields, invoiceOf(stored.fields));
  if (areEqual(fields, stored.fields)) {
    const isLater = options.updatesObservedAt && observedAt.to > stored.observedAt.to;
    return isLater || stored.isInQuestion || stored.lacksSearchKeys ? refresh(stored, observedAt) : keep;
  }
  if (order === "newer") return write({ createdAt, fields, observedAt });
  // The times overlap. A final state is the later one, because no other state can follow it.
  if (isFinal(stored.type, stored.fields) || areEqual(fields, withInvoice(stored.fields, invoiceId))) {
    return keepWithInvoice(stored, invoiceId);
  }
  return isFinal(state.type, fields) ? write({ createdAt, fields, observedAt }) : reread;
};

/** @param stored the record as it was read; undefined if it does not exist. */
export const decideApply = (
  stored: StoredRecord | undefined,
  { observation, invoiceId }: Pick<ObservedObject, "observation" | "invoiceId">,
  options: DecideOptions,
): Decision => {
  if (stored !== undefined && !isLive(stored)) return keep;
  switch (observation.kind) {
    case "deleted":
      return markDeleted(stored, observation);
    case "state":
      if (stored !== undefined) return decideState(stored, observation, invoiceId, options);
      return write({
        createdAt: observation.createdAt,
        fields: observation.fields,
        observedAt: observation.observedAt,
      });
    case "touched":
      if (stored === undefined) return reread;
      return orderOf(observation, stored, options) === "older" || isFinal(stored.type, stored.fields)
        ? keepWithInvoice(stored, invoiceId)
        : reread;
    case "linked":
      return stored === undefined ? reread : keepWithInvoice(stored, invoiceId);
  }
};

/**
 * Decides how the provider's answer changes the record that was marked as questioned before. The answer is not older than
 * the record, whatever their times. An unchanged record is also written, because another worker may have read another
 * answer.
 */
export const decideAnswered = (stored: StoredRecord | undefined, answer: ObservedObject): Decision => {
  const { observation } = answer;
  if (stored === undefined || !isLive(stored) || observation.kind !== "state") {
    return decideApply(stored, answer, { updatesObservedAt: true });
  }
  const observedAt = laterObserved(observation.observedAt, stored.observedAt);
  const fields = withInvoice(observation.fields, invoiceOf(stored.fields));
  return areEqual(fields, stored.fields)
    ? refresh(stored, observedAt)
    : write({ createdAt: observation.createdAt, fields, observedAt });
};
