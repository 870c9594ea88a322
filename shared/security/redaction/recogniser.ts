/** Finds one kind of sensitive text and puts a marker in its place. */
export type Recogniser = {
  /** What the marker says was there: `[redacted:<name>]`. */
  name: string;
  redact: (text: string) => string;
  /** True where plain digits or letters are matched, as they also occur in the ids that callers choose. */
  readsDigits?: true;
};

/** No recogniser matches a marker, so that redacting twice changes nothing more. */
export const marker = (name: string): string => `[redacted:${name}]`;

/**
 * A recogniser of what a pattern matches. What its group `kept` matches, at the beginning, stays.
 * @param isOne judges the rest of a match; by default every match is one.
 */
export const byPattern = (name: string, pattern: RegExp, isOne?: (found: string) => boolean): Recogniser => ({
  name,
  redact: (text) =>
    text.replace(pattern, (match: string, ...rest: unknown[]) => {
      const groups = rest.at(-1);
      const kept = typeof groups === "object" && groups !== null && "kept" in groups ? String(groups.kept) : "";
      return isOne === undefined || isOne(match.slice(kept.length)) ? kept + marker(name) : match;
    }),
});
