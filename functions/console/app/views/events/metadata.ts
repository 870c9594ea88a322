/** The metadata of an event as facts. Any JSON value is possible. */
import { inWords } from "../../words/format.ts";

export type FactValue =
  | { kind: "text"; text: string }
  /** Epoch milliseconds. */
  | { kind: "time"; at: number }
  | { kind: "duration"; ms: number };
export type MetadataFact = { name: string; value: FactValue };

/** Deeper parts, and more facts, are only in the JSON text. */
const MOST_LEVELS = 3;
const MOST_FACTS = 60;
const MOST_LISTED = 20;

/** Numbers from here on are times if their name ends with "At": 2001 in milliseconds. */
const FIRST_TIME = 1e12;

const isScalar = (value: unknown): value is string | number | boolean | null =>
  value === null || ["string", "number", "boolean"].includes(typeof value);

const scalarInWords = (value: string | number | boolean | null): string => {
  if (value === null || value === "") return "–";
  if (typeof value === "boolean") return value ? "Yes" : "No";
  return String(value);
};

const textFact = (name: string, text: string): MetadataFact => ({ name, value: { kind: "text", text } });

const factOf = (path: readonly string[], value: string | number | boolean | null): MetadataFact => {
  const key = path.at(-1) ?? "";
  const named = (last: string) => [...path.slice(0, -1), last].map(inWords).join(" › ");
  if (typeof value === "number" && /[a-z]Ms$/.test(key))
    return { name: named(key.slice(0, -2)), value: { kind: "duration", ms: value } };
  if (typeof value === "number" && /[a-z]At$/.test(key) && value >= FIRST_TIME && value < 1e15)
    return { name: named(key), value: { kind: "time", at: value } };
  return textFact(named(key), scalarInWords(value));
};

const listFact = (path: readonly string[], values: readonly unknown[]): MetadataFact => {
  const texts = values
    .slice(0, MOST_LISTED)
    .map((value) => (isScalar(value) ? scalarInWords(value) : JSON.stringify(value)));
  const rest = values.length - texts.length;
  const text = texts.length === 0 ? "–" : texts.join(", ") + (rest > 0 ? ` and ${rest} more` : "");
  return textFact(path.map(inWords).join(" › "), text);
};

const walk = (path: readonly string[], value: unknown): MetadataFact[] => {
  if (isScalar(value)) return [factOf(path, value)];
  if (Array.isArray(value)) return [listFact(path, value)];
  if (typeof value !== "object" || value === null) return [];
  if (path.length >= MOST_LEVELS) return [textFact(path.map(inWords).join(" › "), JSON.stringify(value))];
  return Object.entries(value).flatMap(([key, part]) => walk([...path, key], part));
};

/** @param metadata a value that was JSON. @returns no facts if there is none. */
export const metadataFacts = (metadata: unknown): MetadataFact[] => {
  if (metadata === undefined || metadata === null) return [];
  const isObject = typeof metadata === "object" && !Array.isArray(metadata);
  return (isObject ? walk([], metadata) : walk(["value"], metadata)).slice(0, MOST_FACTS);
};
