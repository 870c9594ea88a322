/** The query and the answer of GET …/search. Pure. Decisions: docs/search.md. */
import * as z from "zod/mini";
import { described } from "../json/described.ts";
import { text } from "../json/text.ts";
import { resourceTypeOf } from "../records/record.ts";

const MIN_CHARACTERS = 2;
const MAX_CHARACTERS = 128;
export const MAX_RESULTS = 20;

const resultKinds = [
  "event",
  "alert",
  "run",
  "webhook",
  "delivery",
  ...Object.values(resourceTypeOf),
  "user",
  "address",
] as const;

export const SearchQuery = z.object({
  q: text(
    MIN_CHARACTERS,
    MAX_CHARACTERS,
    "An exact id, user or address, or the beginning of a customer's name or e-mail address, in any case.",
  ),
});

export const SearchResult = z
  .object({
    kind: z.enum(resultKinds),
    id: described(z.string(), "The id; of a user and of an address the text itself."),
    title: described(z.string(), "What it is, for people."),
    href: described(z.string(), "Its address in this API: the thing itself, or the list that shows it."),
  })
  .register(z.globalRegistry, { id: "SearchResult", description: "A thing that a search found." });
export type SearchResult = z.output<typeof SearchResult>;
