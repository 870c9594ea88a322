import { describe, expect, it } from "@jest/globals";
import { relativeTime } from "../../../../infra/local/commands/readable-time.ts";
import { showJson } from "../../../../infra/local/commands/show-json.ts";
import { fc } from "../../../support/fixed-seed.ts";

const NOW = Date.parse("2026-11-22T14:00:00Z");
const plain = (_format: string, text: string) => text;
const show = (value: unknown) => showJson(JSON.stringify(value), NOW, plain);
const withoutNotes = (shown: string) => shown.replaceAll(/ {2}\/\/ .*$/gm, "");

describe("JSON for a terminal", () => {
  it("is the same JSON without its notes, whatever the value", () => {
    const time = fc.oneof(fc.integer({ min: 0, max: 2 * NOW }), fc.constant("2026-11-22T14:00:00Z"));
    const value = fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom("at", "createdAt", "lastSeen", "name"), time));
    // JSON.stringify writes -0 as 0.
    const inJson = (one: unknown): unknown => JSON.parse(JSON.stringify(one));
    fc.assert(fc.property(value, (one) => expect(JSON.parse(withoutNotes(show(one)))).toEqual(inJson(one))));
  });

  it("keeps the digits of every number, and the escapes of every text", () => {
    const source = '{"id":9007199254740993,"price":1.0,"big":1e400,"text":"a\\u0041\\"{,:}"}';
    expect(showJson(source, undefined, plain).replaceAll(/(?<=[{,:]) | (?=\})/g, "")).toBe(source);
  });

  it("indents, and keeps short plain parts on one line", () => {
    expect(show({ list: [1, 2], empty: {}, parts: [{ a: 1 }, { b: { c: null } }] })).toBe(
      [
        "{",
        '  "list": [1, 2],',
        '  "empty": {},',
        '  "parts": [',
        '    { "a": 1 },',
        "    {",
        '      "b": { "c": null }',
        "    }",
        "  ]",
        "}",
      ].join("\n"),
    );
    expect(show({ word: "x".repeat(100) }).split("\n")).toHaveLength(3);
  });

  it("fills lines with a long list of short texts", () => {
    const list = Array.from({ length: 9 }, (_, index) => `customer.updated.${index}`);
    const lines = show({ list }).split("\n");
    expect(lines).toHaveLength(7);
    expect(show({ list: ["x".repeat(60), ...list] }).split("\n")).toHaveLength(7);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it("writes times beside epoch milliseconds in fields of times, and beside times as text", () => {
    const shown = show({ createdAt: NOW - 180_000, amount: NOW, at: 12, time: "2026-11-22T16:00:00Z", name: null });
    expect(shown.split("\n").filter((line) => line.includes("//"))).toEqual([
      `  "createdAt": ${NOW - 180_000},  // 2026-11-22T13:57:00.000Z, 3 min ago`,
      '  "time": "2026-11-22T16:00:00Z",  // in 2 h',
    ]);
    expect(show({ at: Number.MAX_SAFE_INTEGER })).not.toContain("//");
    expect(showJson(`{"at":${NOW}}`, undefined, plain)).not.toContain("//");
  });

  it.each([
    [0, "now"],
    [-999, "now"],
    [-1_000, "1 s ago"],
    [60_000, "in 1 min"],
    [-7_200_000, "2 h ago"],
    [86_400_000, "in 1 day"],
    [-8 * 86_400_000, "8 days ago"],
  ])("names %d ms from now as %s", (ms, name) => {
    expect(relativeTime(NOW + ms, NOW)).toBe(name);
  });
});
