import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { CSV_COLUMNS, CSV_HEAD, toCsvRows } from "../../../shared/exports/csv.ts";
import { SecurityEvent } from "../../../shared/security/security-event.ts";
import { parseCsv, valueOfCell } from "../../support/csv.ts";
import { depth } from "../../support/depth.ts";
import { fc } from "../../support/fixed-seed.ts";
import { eventAt } from "./world.ts";

/** What a spreadsheet may take for a formula: the first character decides. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

const hostile = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .tuple(
      fc.constantFrom("", "'", "''", '"', " ", ";", ",", "\n", "\r\n"),
      fc.constantFrom("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", "'"),
      fc.constantFrom("1+1", "cmd|' /C calc'!A0", 'HYPERLINK("http://x","y")', "", ';=1+1;"', ",=2", "\n=3"),
    )
    .map((parts) => parts.join("")),
);

const event = (text: string): SecurityEvent => ({
  ...eventAt("acme", 1_795_262_430_000),
  userId: text,
  userAgent: text,
  errorMessage: text,
  resource: text,
  action: text,
  metadata: { [text]: text, nested: [text, 1, null, true], durationMs: -5 },
});

describe("events as CSV", () => {
  it("hold no cell that a spreadsheet runs, and every value comes back", () => {
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 4 }), (texts) => {
        const events = texts.map(event);
        const [head = [], ...rows] = parseCsv(CSV_HEAD + toCsvRows(events));
        expect(head).toEqual(CSV_COLUMNS);
        expect(rows).toHaveLength(events.length);
        for (const [index, cells] of rows.entries()) {
          expect(cells).toHaveLength(CSV_COLUMNS.length);
          for (const cell of cells) expect(cell).not.toMatch(FORMULA);
          const values = Object.fromEntries(CSV_COLUMNS.map((name, i) => [name, valueOfCell(cells[i] ?? "")]));
          const { metadata, ...fields } = events[index] ?? event("");
          expect(JSON.parse(values.metadata ?? "")).toEqual(metadata);
          for (const [name, value] of Object.entries(fields))
            expect([name, values[name]]).toEqual([name, String(value)]);
        }
      }),
      { numRuns: depth(30, 200) },
    );
  });

  it.each([";", "\t", "|"])("hold no such cell in a program that splits at %j either", (delimiter) => {
    fc.assert(
      fc.property(hostile, (text) => {
        for (const cell of parseCsv(toCsvRows([event(`a${delimiter}${text}`)]), delimiter).flat())
          expect(cell).not.toMatch(FORMULA);
      }),
    );
  });

  it("have a column for each field, with absent fields empty and times readable", () => {
    expect(CSV_COLUMNS).toEqual(["time", ...Object.keys(SecurityEvent.shape)]);
    expect(CSV_HEAD.startsWith('"time","id",')).toBe(true);
    const [cells = []] = parseCsv(toCsvRows([eventAt("acme", 1_795_262_430_000)]));
    const cell = (name: string) => cells[CSV_COLUMNS.indexOf(name)];
    expect([cell("time"), cell("timestamp"), cell("errorCode"), cell("success")]).toEqual([
      "2026-11-21T12:00:30.000Z",
      "1795262430000",
      "",
      "true",
    ]);
  });

  it("have every field in quotes, absent ones too", () => {
    const row = toCsvRows([eventAt("acme", 1_795_262_430_000)]);
    expect(row).toMatch(/^"[^"]*"(?:,"(?:[^"]|"")*")*\r\n$/);
    expect(row).toContain(',"",');
  });

  it("are documented column by column", () => {
    const page = readFileSync(join(import.meta.dirname, "../../../docs/exports.md"), "utf8");
    for (const name of CSV_COLUMNS) expect(page).toContain(`\`${name}\``);
  });
});
