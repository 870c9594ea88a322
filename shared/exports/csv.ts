/**
 * Security events as a table in CSV (RFC 4180), which spreadsheets open without running a formula of an attacker. Pure.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
import { type Options, stringify } from "csv-stringify/sync";
import { encodeJson } from "../json/encode-json.ts";
import { SecurityEvent } from "../security/security-event.ts";

/**
 * The columns, in their order: `time` is `timestamp` as ISO 8601, all others are the fields of an event. A new field gets a
 * column at the end. docs/exports.md lists them, and a test compares.
 */
export const CSV_COLUMNS: readonly string[] = ["time", ...Object.keys(SecurityEvent.shape)];

/**
 * Where a spreadsheet may see the first character of a cell, and take it for the beginning of a formula: at the start of a
 * text, and after a character by which some programs split lines of CSV, as those do whose decimal separator is a comma.
 * Such a program may remove quotes.
 */
const FORMULA_MAY_BEGIN = /(?<=^|[;\t|\r\n])(?=["']*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])/g;

/** With an apostrophe before everything that may begin a formula. Removing one apostrophe in each place gives the text. */
const withoutFormulas = (text: string): string => text.replaceAll(FORMULA_MAY_BEGIN, "'");

const OPTIONS: Options = {
  columns: [...CSV_COLUMNS],
  record_delimiter: "windows",
  quoted: true,
  quoted_empty: true,
  cast: {
    string: withoutFormulas,
    boolean: String,
    object: (value) => withoutFormulas(encodeJson(value)),
  },
};

export const CSV_HEAD = stringify([], { ...OPTIONS, header: true });

/** The rows of events. Every field is in quotes; absent ones are empty. Metadata is JSON. */
export const toCsvRows = (events: readonly SecurityEvent[]): string =>
  stringify(
    events.map((event) => ({ time: new Date(event.timestamp).toISOString(), ...event })),
    OPTIONS,
  );
