/** Answers of the API in which every text from outside is an attack on the reader's browser. */
import { ATTACKS } from "../shared/reports/hostile.ts";

// The service stores and answers only well-formed texts.
const TEXTS = [...ATTACKS, "W".repeat(500), "%", "../..", "{{constructor}}"].map((text) => text.toWellFormed());

/** @param ours the names of fields whose values the API takes from its own lists */
export const createPoisoner = (ours: RegExp) => {
  let next = 0;
  const attack = () => TEXTS[next++ % TEXTS.length];
  const poison = (value: unknown, name = ""): unknown => {
    if (typeof value === "string") return ours.test(name) ? value : attack();
    if (Array.isArray(value)) return value.map((one) => poison(one, name));
    if (typeof value !== "object" || value === null) return value;
    const isFree = name === "metadata" || name === "evidence";
    const entries = Object.entries(value).map(([key, part]) => [isFree ? attack() : key, poison(part, key)]);
    return Object.fromEntries(entries);
  };
  return (value: unknown) => poison(value);
};

/** Runs in the page: the elements that only an attack can have made. */
export const INJECTED = `[...document.querySelectorAll("img, iframe, object, embed, body script, body style, [onload], [onerror], [onmouseover], a[href^='javascript:' i]")]
  .map((one) => one.outerHTML.slice(0, 120))`;
