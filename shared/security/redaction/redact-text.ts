import type { Recogniser } from "./recogniser.ts";
import { recognisers } from "./recognisers.ts";

/** A text as a reader of another encoding sees it. */
type View = (text: string) => string;

/** Percent-encoding undone, also where it was encoded several times over (%2525 and so on). */
const withoutPercents: View = (text) =>
  text.replace(/(?:%(?:25)*[0-9a-f]{2})+/gi, (run) =>
    Buffer.from(run.replace(/%(?:25)*([0-9a-f]{2})/gi, "$1"), "hex").toString("utf8"),
  );

/** Full-width letters, digits and signs (U+FF01 to U+FF5E) as their ASCII counterparts. */
const withoutFullWidth: View = (text) =>
  text.replace(/[\uff01-\uff5e]/g, (character) => String.fromCharCode(character.charCodeAt(0) - 0xfee0));

const VIEWS: readonly (readonly [needed: RegExp, view: View])[] = [
  [/%[0-9a-f]{2}/i, withoutPercents],
  [/[\uff01-\uff5e]/, withoutFullWidth],
];

/** What one marker uncovers beside it is found in the next round; a text that holds nothing takes one. */
const MAX_ROUNDS = 4;

/** A function that applies the recognisers in their order; a view in which one of them finds something is the result. */
export const createTextRedactor = (table: readonly Recogniser[]) => {
  const redactOnce = (text: string): string => table.reduce((redacted, { redact }) => redact(redacted), text);
  const redactViews = (text: string): string => {
    let redacted = redactOnce(text);
    for (const [needed, view] of VIEWS) {
      if (!needed.test(redacted)) continue;
      const seen = view(redacted);
      const redactedView = redactOnce(seen);
      if (redactedView !== seen) redacted = redactedView;
    }
    return redacted;
  };
  return (text: string): string => {
    let redacted = text;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const next = redactViews(redacted);
      if (next === redacted) break;
      redacted = next;
    }
    return redacted;
  };
};

/** A text without anything sensitive; each place says what was there (`[redacted:card]`). */
export const redactText = createTextRedactor(recognisers);

/** The same for an id of our own records: digits stay, because an issuer of tokens may use any number for a user. */
export const redactIdentifier = createTextRedactor(recognisers.filter(({ readsDigits }) => readsDigits !== true));
