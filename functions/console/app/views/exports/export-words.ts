/** Exports in words. Pure. docs/exports.md. */
import type { Export } from "../../api/types.ts";
import { formatBytes, formatShortTime, plural, type Tone } from "../../words/format.ts";
import { chips } from "../events/selection.ts";

export type Format = NonNullable<Export["format"]>;

export const formats: Readonly<Record<Format, { name: string; text: string }>> = {
  ndjson: { name: "NDJSON", text: "One event a line, as the API returns it. For scripts and other programs." },
  csv: {
    name: "CSV",
    text: "A table for spreadsheets. Texts that a spreadsheet would take for formulas are made harmless.",
  },
  ocsf: {
    name: "OCSF",
    text: "One event a line in the Open Cybersecurity Schema Framework, which a SIEM understands.",
  },
};

const STATUSES: Readonly<Record<Export["status"], { tone: Tone; name: string }>> = {
  requested: { tone: "accent", name: "Requested" },
  running: { tone: "accent", name: "Running" },
  completed: { tone: "good", name: "Completed" },
  failed: { tone: "bad", name: "Failed" },
  deleted: { tone: "quiet", name: "Deleted" },
};

export const statusOf = ({ status }: Pick<Export, "status">) => STATUSES[status];

export const isUnderWay = ({ status }: Pick<Export, "status">): boolean =>
  status === "requested" || status === "running";

/** Such as "Events as CSV" or "Events as NDJSON, with proof". */
export const titleOf = ({ kind, format, proof }: Pick<Export, "kind" | "format" | "proof">): string => {
  if (kind === "organization") return "Everything of the organization";
  const known = format !== undefined && Object.hasOwn(formats, format) ? formats[format].name : undefined;
  if (known === undefined) return "Events";
  return `Events as ${known}${proof === true ? ", with proof" : ""}`;
};

/** The period and the filters of an export of events, such as "Level: High". */
export const selectionOf = ({ filter }: Pick<Export, "filter">): string[] => {
  if (filter === undefined) return [];
  const { since, until, processed, success, ...texts } = filter;
  const chosen = {
    ...texts,
    ...(processed !== undefined && { processed: String(processed) }),
    ...(success !== undefined && { success: String(success) }),
  };
  return [`${formatShortTime(since)} to ${formatShortTime(until)}`, ...chips(chosen).map(({ text }) => text)];
};

/** Such as "1,200 entries, 3.4 MB". */
export const sizeOf = ({ progress: { items, bytes } }: Pick<Export, "progress">): string =>
  `${plural(items, "entry", "entries")}, ${formatBytes(bytes)}`;

/** What an export of everything contains. */
export const everything = [
  "the records of customers, subscriptions, invoices and payments",
  "security events, and alerts with their history",
  "reports",
  "settings, and the destinations of notifications without their secrets",
] as const;
