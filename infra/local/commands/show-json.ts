import { timeNote } from "./readable-time.ts";

/** Colours a part of the text, or returns it unchanged. */
export type Paint = (format: "cyan" | "green" | "yellow" | "red" | "magenta" | "dim" | "bold", text: string) => string;

/** A value of JSON. Plain ones are their source text, so that numbers of any size keep their digits. */
type Node = string | { open: "[" | "{"; parts: Part[] };
/** `key` is the source text of a field's name; undefined in a list. */
type Part = { key: string | undefined; value: Node };

const TOKEN = /"(?:[^"\\]|\\.)*"|[^\s[\]{},:"]+|[[\]{},:]/g;
/** Lists and objects of plain values that are shorter stay on one line. */
const MAX_LINE = 100;

const parse = (text: string): Node => {
  const tokens = text.match(TOKEN) ?? [];
  let at = 0;
  const value = (): Node => {
    const token = tokens[at++] ?? "";
    if (token !== "[" && token !== "{") return token;
    const node: Node = { open: token, parts: [] };
    const close = token === "[" ? "]" : "}";
    while (tokens[at] !== close) {
      if (tokens[at] === ",") at++;
      const key = token === "{" ? tokens[at] : undefined;
      if (key !== undefined) at += 2;
      node.parts.push({ key, value: value() });
    }
    at++;
    return node;
  };
  return value();
};

const formatOf = (source: string) => (source.startsWith('"') ? "green" : /^[-\d]/.test(source) ? "yellow" : "magenta");

/** Splits the sources of values into lines of at most `width` characters. */
const filled = (sources: readonly string[], width: number): string[][] => {
  const lines: string[][] = [];
  let free = 0;
  for (const source of sources) {
    if (source.length > free) {
      lines.push([]);
      free = width;
    }
    lines.at(-1)?.push(source);
    free -= source.length + 2;
  }
  return lines;
};

/**
 * Indents JSON text and writes readable times behind the values, as comments. Without the comments it is the same JSON,
 * digit by digit.
 * @param text valid JSON
 * @param nowMs the clock of the times; undefined for no comments
 */
export const showJson = (text: string, nowMs: number | undefined, paint: Paint): string => {
  const noteOf = ({ key, value }: Part): string | undefined =>
    typeof value === "string" && nowMs !== undefined
      ? timeNote(key === undefined ? "" : JSON.parse(key), JSON.parse(value), nowMs)
      : undefined;
  const nameOf = ({ key }: Part) => (key === undefined ? "" : `${paint("cyan", key)}: `);

  /** Undefined for a value that takes several lines, or a note. */
  const widthOf = (part: Part): number | undefined => {
    const { key = "", value } = part;
    if (typeof value !== "string") return value.parts.length === 0 ? key.length + 4 : undefined;
    return noteOf(part) === undefined ? key.length + value.length + 4 : undefined;
  };
  const fitsOneLine = (indent: string, key: string | undefined, parts: readonly Part[]): boolean =>
    parts.reduce((sum, part) => sum + (widthOf(part) ?? MAX_LINE), indent.length + (key?.length ?? 0) + 4) <= MAX_LINE;

  /** A list of many short texts or numbers, such as types of events, takes lines as a paragraph does. */
  const isFilled = ({ open, parts }: { open: string; parts: readonly Part[] }): boolean =>
    open === "[" && parts.every((part) => typeof part.value === "string" && widthOf(part) !== undefined);

  const show = (part: Part, indent: string, comma: string): string[] => {
    const { value } = part;
    const head = `${indent}${nameOf(part)}`;
    if (typeof value === "string") {
      const note = noteOf(part);
      return [head + paint(formatOf(value), value) + comma + (note === undefined ? "" : paint("dim", `  // ${note}`))];
    }
    const close = value.open === "[" ? "]" : "}";
    if (value.parts.length === 0) return [`${head}${value.open}${close}${comma}`];
    if (fitsOneLine(indent, part.key, value.parts)) {
      const line = value.parts.flatMap((one) => show(one, "", "")).join(", ");
      return [`${head}${value.open === "[" ? `[${line}]` : `{ ${line} }`}${comma}`];
    }
    if (isFilled(value)) {
      const lines = filled(
        value.parts.map(({ value: one }) => `${one}`),
        MAX_LINE - indent.length - 3,
      );
      const shown = lines.map((line) => `${indent}  ${line.map((one) => paint(formatOf(one), one)).join(", ")}`);
      return [`${head}[`, shown.join(",\n"), `${indent}]${comma}`];
    }
    const last = value.parts.length - 1;
    const lines = value.parts.flatMap((one, index) => show(one, `${indent}  `, index === last ? "" : ","));
    return [`${head}${value.open}`, ...lines, `${indent}${close}${comma}`];
  };
  return show({ key: undefined, value: parse(text) }, "", "").join("\n");
};
