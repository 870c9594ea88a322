/** Plants: what a caller keeps in the store. Spec: plant store, "Resources and their fields". */
import * as z from "zod/mini";
import { Int64 } from "../json/int64.ts";
import { text } from "../json/text.ts";

/** Decisions: docs/decisions.md, "Plants". */
const NAME_MAX_CHARACTERS = 256;
const TAG_MAX_CHARACTERS = 128;

const fields = {
  name: text(1, NAME_MAX_CHARACTERS, "Name of the plant."),
  tag: z.optional(text(1, TAG_MAX_CHARACTERS, "Tag that specifies the type.")),
};

export const Plant = z.object(fields).register(z.globalRegistry, {
  id: "Plant",
  description: "A plant as the service returns it.",
});
export type Plant = z.output<typeof Plant>;

/** The body of a creation. The id is the caller's own, unique within its scope. */
export const NewPlant = z.object({ id: Int64, ...fields }).register(z.globalRegistry, {
  id: "NewPlant",
  description: "A plant to create. The id is unique within the caller's scope.",
});
export type NewPlant = z.output<typeof NewPlant>;

/** Lists of plants: decisions, "Plants". */
export const LIST_MAX_LIMIT = 10_000;
