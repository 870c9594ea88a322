/**
 * The query and the page position of GET …/records/{type}. Decisions: docs/sync.md, "Records". Apart from record.ts, so that
 * functions without lists of records do not bundle it.
 */
import * as z from "zod/mini";
import { cursorTime } from "../json/cursor-time.ts";
import { instantParameter } from "../json/instant.ts";
import { text } from "../json/text.ts";

const FILTER_MAX_CHARACTERS = 256;

export const RecordQuery = z.object({
  id: z.optional(text(1, FILTER_MAX_CHARACTERS, "Only the record with this id.")),
  customerId: z.optional(
    text(1, FILTER_MAX_CHARACTERS, "Only records of this customer; for customers, the customer itself."),
  ),
  status: z.optional(text(1, FILTER_MAX_CHARACTERS, "Only records with this status, in the provider's word.")),
  updatedSince: z.optional(instantParameter("Only records that changed here at this time or later.")),
});
export type RecordQuery = z.output<typeof RecordQuery>;

/** The last record of a page. */
export const RecordPosition = z.object({
  createdAt: cursorTime,
  id: z.string(),
});
export type RecordPosition = z.output<typeof RecordPosition>;
