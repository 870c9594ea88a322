/** Finds one kind of sensitive text and replaces it by a marker. */
export type Recogniser = {
  /** The kind in the marker: `[redacted:<name>]`. */
  name: string;
  redact: (text: string) => string;
  /** Whether it matches plain digits or letters, which also occur in ids that callers choose. */
  readsDigits?: true;
};

/** No recogniser matches a marker, so redacting again changes nothing. */
export const marker = (name: string): string => `[redacted:${name}]`;

/**
 * A recogniser that replaces the matches of a pattern, except their group `kept` at the start.
 * @param isSecret decides about the rest of a match; by default every match is replaced.
 */
export const byPattern = (name: string, pattern: RegExp, isSecret?: (found: string) => boolean): Recogniser => ({
  name,
  redact: (text) =>
    text.replace(pattern, (match: string, ...rest: unknown[]) => {
      const groups = rest.at(-1);
      const kept = typeof groups === "object" && groups !== null && "kept" in groups ? String(groups.kept) : "";
      return isSecret === undefined || isSecret(match.slice(kept.length)) ? kept + marker(name) : match;
    }),
});
