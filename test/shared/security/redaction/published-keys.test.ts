/** Redaction against the published formats of other vendors' keys, with keys that are generated from the formats. */
import { describe, expect, it } from "@jest/globals";
import { redact } from "../../../../shared/security/redaction/redact.ts";
import { redactText } from "../../../../shared/security/redaction/redact-text.ts";
import { depth } from "../../../support/depth.ts";
import { fc } from "../../../support/fixed-seed.ts";
import { evidentKeys, namedKeys } from "./published-keys.ts";

/** Where a key may be. */
const contexts: Readonly<Record<string, (key: string) => string>> = {
  "a sentence": (key) => redactText(`The key ${key} was refused with 401`),
  punctuation: (key) => redactText(`keys: ("${key}"), <${key}>; '${key}'.`),
  JSON: (key) => redactText(JSON.stringify({ note: key, attempt: 2 })),
  "JSON in JSON, after a line break": (key) =>
    redactText(JSON.stringify({ body: JSON.stringify({ note: `failed:\n${key}\n` }) })),
  "a query": (key) => redactText(`GET https://x.example/y?q=${encodeURIComponent(key)}&limit=10`),
  "an authorization header": (key) => redactText(`authorization: Bearer ${key}`),
  "nested metadata": (key) => JSON.stringify(redact({ details: [{ input: { note: key, [key]: 1 } }] })),
};

/** The number of characters that say whose key it is: those that all keys of a format begin with, and a URL's host. */
const commonStart = (keys: readonly string[]): number => {
  const [first = ""] = keys;
  const differs = [...first].findIndex((character, at) => keys.some((key) => key[at] !== character));
  return differs === -1 ? first.length : differs;
};

const URL_START = /^(?:https?:\/\/)?[a-z0-9]+\.[a-z.]+\/[a-z0-9]+\//;

/** No eight characters of a key may remain, apart from the vendor's prefix. */
const VISIBLE = 8;
const remainsOf = (key: string, prefix: number, output: string): string | undefined => {
  for (let at = prefix; at + VISIBLE <= key.length; at++) {
    const part = key.slice(at, at + VISIBLE);
    if (output.includes(part)) return part;
  }
  return undefined;
};

/** Left out of the generated keys, because they are not distinguished from other texts. */
const isPublished = (rule: string, key: string): boolean => {
  // Without a digit this is an English name such as `s.readTheWholeFileFromDisk`.
  if (rule === "vault-service-token") return key.startsWith("hvs.") || /\d/.test(key);
  // A random text of one kind of characters is not distinguished from words.
  if (rule === "gocardless-api-token") return /^live_[A-Za-z]*\d/.test(key);
  // The separator as a percent sign would start an escape in a URL.
  if (rule === "facebook-access-token") return !key.includes("%");
  // Few changes between kinds of characters, which a random key hardly ever has.
  if (rule === "aws-secret-access-key")
    return /[a-z]/.test(key) && /[A-Z]/.test(key) && (key.match(/[a-z]+|[A-Z]+|\d+|[+/]+/g) ?? []).length > 15;
  return true;
};

const keysOf = (rule: string, format: RegExp, count: number): string[] =>
  fc.sample(
    fc.stringMatching(new RegExp(`^(?:${format.source})$`)).filter((key) => isPublished(rule, key)),
    { numRuns: count, seed: 14 },
  );

describe("keys that their format identifies", () => {
  it.each(Object.entries(evidentKeys))("redacts a %s wherever it is", (rule, format) => {
    const keys = keysOf(rule, format, depth(8, 50));
    const prefix = commonStart(keys);
    for (const key of keys.slice(0, depth(2, 50))) {
      const visible = Math.max(prefix, URL_START.exec(key)?.[0].length ?? 0);
      for (const [name, place] of Object.entries(contexts)) {
        const output = place(key);
        expect([name, key, output, remainsOf(key, visible, output)]).toEqual([name, key, output, undefined]);
      }
    }
  });

  it("are those of more than a hundred rules", () => {
    expect(Object.keys(evidentKeys).length).toBeGreaterThan(120);
    expect(Object.keys(namedKeys).length).toBeGreaterThan(60);
  });
});

describe("keys without a format of their own", () => {
  it.each(Object.entries(namedKeys))("redacts a %s beside its name", (rule, [vendor, format]) => {
    for (const key of keysOf(rule, format, depth(2, 50))) {
      for (const text of [
        `${vendor}_api_key=${key}`,
        JSON.stringify({ [`${vendor}Token`]: key }),
        `${vendor} secret: ${key}`,
      ])
        expect([key, redactText(text)]).toEqual([key, expect.not.stringContaining(key)]);
    }
  });
});
