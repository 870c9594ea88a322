declare global {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can add to one of TypeScript's library.
  interface JSON {
    /** https://tc39.es/proposal-json-parse-with-source/; in Node since 21, not yet in TypeScript's library. */
    rawJSON(text: string): unknown;
    isRawJSON(value: unknown): boolean;
  }
}

/** JSON text of a value, in which a bigint is written with all its digits. */
export const encodeJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === "bigint" ? JSON.rawJSON(String(part)) : part));
