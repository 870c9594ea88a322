/** What GET …/security takes. Spec: "GET /api/integrations/provider/security"; decisions: "Security events". */
import * as z from "zod/mini";
import { InstantParameter } from "../json/instant.ts";
import { text } from "../json/text.ts";
import { riskLevels } from "../terms/risk-levels.ts";
import { categories } from "./security-event.ts";

/** Decisions: every identifier has at most so many characters. */
const FILTER_MAX_CHARACTERS = 128;

/** One of a list of words, in any case. */
const word = <const Words extends readonly string[]>(words: Words, toCase: (text: string) => string, about: string) => {
  const error = `expected one of ${words.join(", ")}`;
  return z
    .pipe(
      z.pipe(
        z.string({ error }),
        z.transform((value: string) => toCase(value)),
      ),
      z.enum(words, { error }),
    )
    .register(z.globalRegistry, { description: about, override: { type: "string", enum: [...words] } });
};

const upper = (value: string) => value.toUpperCase();
const lower = (value: string) => value.toLowerCase();

const eventType = z.pipe(text(1, FILTER_MAX_CHARACTERS, ""), z.transform(upper)).register(z.globalRegistry, {
  description: "Only events of this type, in any case. A name that no type has matches nothing.",
  override: { type: "string", minLength: 1, maxLength: FILTER_MAX_CHARACTERS },
});

const processed = z
  .pipe(
    z.enum(["true", "false"], { error: "expected true or false" }),
    z.transform((value: "true" | "false") => value === "true"),
  )
  .register(z.globalRegistry, {
    description: "Only events that were marked as processed, or only those that were not.",
    override: { type: "string", enum: ["true", "false"] },
  });

export const SecurityQuery = z.object({
  eventType: z.optional(eventType),
  category: z.optional(word(categories, lower, "Only events of this category, in any case.")),
  riskLevel: z.optional(word(riskLevels, upper, "Only events of this risk level, in any case.")),
  since: z.optional(InstantParameter),
  userId: z.optional(text(1, FILTER_MAX_CHARACTERS, "Only events of this user.")),
  processed: z.optional(processed),
});
export type SecurityQuery = z.output<typeof SecurityQuery>;
