/**
 * The query and the page position of GET …/records/{type}. Decisions: docs/sync.md, "Records". Apart from record.ts, so that
 * functions without lists of records do not bundle it.
 */
import * as z from "zod/mini";
import { cursorTime } from "../json/cursor-time.ts";
import { instantParameter } from "../json/instant.ts";
import { text } from "../json/text.ts";
import { trueOrFalse } from "../json/true-or-false.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { type RecordType, recordFields } from "./record.ts";

const INTEGER_EXPECTED = "expected an integer of at most 15 digits";

/** A bound of amounts, inclusive. */
const amountBound = (description: string) =>
  z
    .pipe(
      z.string({ error: INTEGER_EXPECTED }).check(z.regex(/^-?[0-9]{1,15}$/, { error: INTEGER_EXPECTED })),
      z.transform(Number),
    )
    .register(z.globalRegistry, { description });

const FILTER_MAX_CHARACTERS = 256;

const MOST_IDS = 50;

const isListOfIds = (ids: string): boolean => {
  const all = ids.split(",");
  return all.length <= MOST_IDS && new Set(all).size === all.length && all.every((id) => id !== "");
};

/** Separated by commas, which no id of the provider has. */
const idList = z.pipe(
  text(1, MOST_IDS * 64, `Only the records with these ids, separated by commas: up to ${MOST_IDS}, each once.`).check(
    z.refine(isListOfIds, { error: `expected up to ${MOST_IDS} different ids, separated by commas` }),
  ),
  z.transform((ids: string): readonly string[] => ids.split(",")),
);

export const RecordQuery = z.object({
  id: z.optional(text(1, FILTER_MAX_CHARACTERS, "Only the record with this id.")),
  ids: z.optional(idList),
  customerId: z.optional(
    text(1, FILTER_MAX_CHARACTERS, "Only records of this customer; for customers, the customer itself."),
  ),
  paymentId: z.optional(text(1, FILTER_MAX_CHARACTERS, "Only refunds and disputes of this payment.")),
  status: z.optional(text(1, FILTER_MAX_CHARACTERS, "Only records with this status, in the provider's word.")),
  minAmount: z.optional(
    amountBound("Only records of this `amount` or more, for invoices `amountDue`; in minor units."),
  ),
  maxAmount: z.optional(amountBound("Only records of this amount or less.")),
  overdue: z.optional(
    trueOrFalse("Only invoices that are `open` and whose `dueAt` is past; with false, only the others."),
  ),
  updatedSince: z.optional(instantParameter("Only records that changed here at this time or later.")),
});
export type RecordQuery = z.output<typeof RecordQuery>;

const hasField = (type: RecordType, name: string): boolean => name in recordFields[type].shape;

/** The field that bounds of amounts are about; undefined if the type has none. */
export const amountFieldOf = (type: RecordType): string | undefined =>
  ["amount", "amountDue"].find((name) => hasField(type, name));

/** Whether records of a type have the field of a filter. All have `id` and `updatedAt`. */
const isFilterOf: Partial<Record<keyof RecordQuery, (type: RecordType) => boolean>> = {
  customerId: (type) => type === "customers" || hasField(type, "customerId"),
  paymentId: (type) => hasField(type, "paymentId"),
  status: (type) => hasField(type, "status"),
  minAmount: (type) => amountFieldOf(type) !== undefined,
  maxAmount: (type) => amountFieldOf(type) !== undefined,
  overdue: (type) => hasField(type, "dueAt"),
};

/** @throws DomainError `invalid_field` for a filter whose field the type lacks. */
export const requireFields = (type: RecordType, query: RecordQuery): void => {
  for (const [name, isFilter] of Object.entries(isFilterOf)) {
    if (query[name as keyof RecordQuery] === undefined || isFilter(type)) continue;
    throw new DomainError("invalid_field", `${name}: records of the type ${type} cannot be filtered by this`);
  }
};

/** The last record of a page. */
export const RecordPosition = z.object({
  createdAt: cursorTime,
  id: z.string(),
});
export type RecordPosition = z.output<typeof RecordPosition>;
