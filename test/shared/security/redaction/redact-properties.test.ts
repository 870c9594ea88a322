import { describe, expect, it } from "@jest/globals";
import { redact } from "../../../../shared/security/redaction/redact.ts";
import { redactText } from "../../../../shared/security/redaction/redact-text.ts";
import { depth } from "../../../support/depth.ts";
import { fc } from "../../../support/fixed-seed.ts";
import { secretText, secretValueAnywhere, survivingFields, survivingText } from "./redact-arbitraries.ts";

/** Fixed, so that a run can be repeated; fast-check prints seed and path of a failure. */
const parameters = { seed: 20_261_105, numRuns: depth(60, 1_000) };

const withoutSeparators = (text: string): string => text.replace(/%20|[\s\u00a0\u2013.+-]/g, "");

const expectNoneOf = (needles: readonly string[], output: string): void => {
  for (const needle of needles) {
    expect(output).not.toContain(needle);
    expect(output).not.toContain(encodeURIComponent(needle));
    expect(output).not.toContain(JSON.stringify(needle).slice(1, -1));
    expect(withoutSeparators(output)).not.toContain(withoutSeparators(needle));
  }
};

const deepFreeze = (value: unknown): void => {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
};

describe("redaction of planted secrets", () => {
  it("leaves no secret in a text", () => {
    fc.assert(
      fc.property(secretText, ({ text, needles }) => expectNoneOf(needles, redactText(text))),
      parameters,
    );
  });

  it("leaves no secret in a value: keys, values, URLs, messages, JSON in strings", () => {
    fc.assert(
      fc.property(secretValueAnywhere, ({ value, needles }) => expectNoneOf(needles, JSON.stringify(redact(value)))),
      parameters,
    );
  });

  it("finds each secret before redaction", () => {
    fc.assert(
      fc.property(secretValueAnywhere, ({ value, needles }) => {
        const written = JSON.stringify(value, (_key, part) => (typeof part === "bigint" ? String(part) : part));
        const decoded = written.replace(/(?:%(?:25)*[0-9A-F]{2})+/g, (run) => {
          return decodeURIComponent(run.replace(/%(?:25)*/g, "%"));
        });
        const plain = withoutSeparators(decoded.replace(/\\+/g, ""));
        for (const needle of needles) expect(plain).toContain(withoutSeparators(needle));
      }),
      parameters,
    );
  });
});

describe("data that is not secret", () => {
  it("is kept in texts", () => {
    const word = fc.constantFrom("at", "for", "invoice", "after", "from", "(request)", "- ", "id:", "synced");
    fc.assert(
      fc.property(word, survivingText, word, (before, text, after) => {
        const sentence = `${before} ${text} ${after}`;
        expect(redactText(sentence)).toBe(sentence);
        expect(redactText(text)).toBe(text);
      }),
      parameters,
    );
  });

  it("is kept in fields, with or without a secret beside it", () => {
    fc.assert(
      fc.property(survivingFields, secretText, (fields, { text }) => {
        expect(redact(fields)).toEqual(fields);
        expect(redact({ ...fields, errorMessage: text, metadata: { ...fields } })).toMatchObject({
          ...fields,
          metadata: fields,
        });
      }),
      parameters,
    );
  });
});

describe("redaction of any value", () => {
  const anything = fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
  });

  it("never throws, and its result is JSON that redacting again does not change", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anything,
          secretValueAnywhere.map(({ value }) => value),
        ),
        (value) => {
          const once = redact(value);
          expect(JSON.parse(JSON.stringify(once) ?? "null")).toEqual(JSON.parse(JSON.stringify(redact(once))));
          expect(redact(once)).toEqual(once);
        },
      ),
      parameters,
    );
  });

  it("does not change a redacted text", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          secretText.map(({ text }) => text),
          fc.string({ unit: "binary" }),
        ),
        (text) => {
          const once = redactText(text);
          expect(redactText(once)).toBe(once);
        },
      ),
      parameters,
    );
  });

  it("never changes its input", () => {
    fc.assert(
      fc.property(secretValueAnywhere, ({ value }) => {
        deepFreeze(value);
        expect(() => redact(value)).not.toThrow();
        expect(redact(value)).not.toBe("[redacted:unreadable]");
      }),
      { ...parameters, numRuns: depth(100, 500) },
    );
  });
});
