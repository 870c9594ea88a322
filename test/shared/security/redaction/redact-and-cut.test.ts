import { describe, expect, it } from "@jest/globals";
import { type Json, redact } from "../../../../shared/security/redaction/redact.ts";
import {
  cutMetadata,
  cutText,
  sanitiseMetadata,
  sanitiseText,
} from "../../../../shared/security/redaction/redact-and-cut.ts";
import { depth } from "../../../support/depth.ts";
import { fc } from "../../../support/fixed-seed.ts";

const parameters = { seed: 20_261_105, numRuns: depth(60, 1_000) };
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

describe("cutText", () => {
  it.each([
    ["short", 5, "short"],
    ["longer text", 10, "long…[cut]"],
    ["😀😀😀😀😀😀😀", 7, "😀😀😀😀😀😀😀"],
    ["😀😀😀😀😀😀😀😀", 7, "😀…[cut]"],
    ["abcdef", 3, "abc"],
    ["", 0, ""],
  ])("%s to %i", (text, max, expected) => {
    expect(cutText(text, max)).toBe(expected);
  });

  it("keeps the limit, the beginning and whole characters, and does not cut twice", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), fc.integer({ min: 6, max: 40 }), (text, max) => {
        const cut = cutText(text, max);
        expect([...cut].length).toBe(Math.min([...text].length, max));
        expect(cut.isWellFormed()).toBe(true);
        expect(text.startsWith(cut.replace(/…\[cut\]$/, ""))).toBe(true);
        expect(cutText(cut, max)).toBe(cut);
      }),
      parameters,
    );
  });
});

describe("cutMetadata", () => {
  it("leaves metadata that fits", () => {
    const value = { durationMs: 1, note: "x".repeat(2_000) };
    expect(cutMetadata(value)).toBe(value);
  });

  it("keeps numbers and small fields first, and shortens longer ones", () => {
    const others = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`n${i}`, i]));
    const ours = { durationMs: 523_000, attempts: 3, retryAfterMs: 1_000, batchSize: 100 };
    const cut = cutMetadata({ note: "é".repeat(3_000), ...others, ...ours });
    expect(cut).toMatchObject({ ...ours, cut: true });
    expect(bytes(cut)).toBeLessThanOrEqual(2_048);
    expect(cutMetadata({ note: "é".repeat(3_000), syncType: "full", ...ours })).toMatchObject({
      ...ours,
      cut: true,
      syncType: "full",
      note: expect.stringMatching(/^é{900,}…\[cut\]$/),
    });
  });

  it("keeps the beginning of lists and of nested objects", () => {
    const ids = Array.from({ length: 200 }, (_, i) => `0192f0aa-7c1e-7cc3-98a1-${String(i).padStart(12, "0")}`);
    expect(cutMetadata({ eventIds: ids, failures: 200 })).toEqual({
      failures: 200,
      eventIds: [...ids.slice(0, 51), "…[cut]"],
      cut: true,
    });
    expect(cutMetadata({ a: { b: { c: "x".repeat(5_000), n: 1 } } })).toMatchObject({
      a: { b: { n: 1, c: expect.stringMatching(/^x{1900,}…\[cut\]$/), cut: true }, cut: true },
      cut: true,
    });
  });

  it("wraps a value that is not an object", () => {
    expect(cutMetadata("x".repeat(3_000))).toMatchObject({
      value: expect.stringMatching(/^x{2000,}…\[cut\]$/),
      cut: true,
    });
    expect(cutMetadata(Array.from({ length: 3_000 }, () => 1))).toMatchObject({ cut: true });
    expect(cutMetadata({ ["k".repeat(3_000)]: 1 })).toEqual({ cut: true });
  });

  it("keeps the limit and marks cut metadata", () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 4, stringUnit: "binary" }),
        fc.integer({ min: 12, max: 200 }),
        (value, max) => {
          const json = value as Json;
          const cut = cutMetadata(json, max);
          if (bytes(json) <= max) expect(cut).toBe(json);
          else {
            expect(bytes(cut)).toBeLessThanOrEqual(max);
            expect(cut).toMatchObject({ cut: true });
          }
        },
      ),
      parameters,
    );
  });
});

describe("sanitising", () => {
  it("redacts before it cuts, so that no part of a secret is left", () => {
    const card = "4242 4242 4242 4242";
    for (let before = 0; before < 520; before++) {
      const text = sanitiseText(`${"x".repeat(before)} ${card}${"y ".repeat(300)}`, 512);
      expect(text).not.toContain("4242");
    }
    const metadata = sanitiseMetadata({ note: `${"x".repeat(2_020)} ${card} ${"y".repeat(100)}`, n: 1n });
    expect(JSON.stringify(metadata)).not.toContain("4242");
    expect(metadata).toMatchObject({ n: 1, cut: true });
    expect(bytes(metadata)).toBeLessThanOrEqual(2_048);
  });

  it("changes nothing when applied again", () => {
    const once = sanitiseMetadata({ a: "token=abc ".repeat(400), durationMs: 3 });
    expect(sanitiseMetadata(once)).toEqual(once);
    expect(redact(once)).toEqual(once);
  });
});
