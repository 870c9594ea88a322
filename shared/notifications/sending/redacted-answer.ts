/**
 * The beginning of a receiver's answer as the log of deliveries shows it: without what the answer repeats of the request, and
 * without secrets of known formats. Pure. docs/notifications.md, "Tries".
 */
import { cutText } from "../../security/redaction/redact-and-cut.ts";
import { redactText } from "../../security/redaction/redact-text.ts";
import { MAX_ANSWER_CHARACTERS } from "../delivery.ts";
import type { DestinationSecrets } from "../destination-secrets.ts";

/** What was sent. */
export type SentRequest = { url: string; headers: Readonly<Record<string, string>>; body: string };

/** What of an answer is read for the log. More would take longer to redact; the log shows 256 characters. */
const READ_CHARACTERS = 4_096;
/** Only read, not shown: so that what the end would cut in two is recognised by what comes after the end. */
const LOOK_AHEAD = 64;

/** A piece of the request that is this long is removed, wherever it was cut. */
const PIECE_CHARACTERS = 8;
/** A whole part of the URL is removed from this length on. */
const MIN_PART_CHARACTERS = 6;

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** A text as it was sent, and as pages of errors and JSON quote it. */
const formsOf = (text: string): string[] => [
  text,
  JSON.stringify(text).slice(1, -1),
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
];

/** What lists do not show of the URL: the query of a webhook; of a chat the path, too, because it is the secret. */
const secretParts = (type: DestinationSecrets["type"], url: string): string[] => {
  const { pathname, search, searchParams } = new URL(url);
  const path = type === "webhook" ? [] : [pathname, ...pathname.split("/")];
  return [...path, search, ...searchParams.values()].flatMap((part) => [part, decoded(part)]);
};

const MARKS = ["[redacted:url]", "[redacted:request]"] as const;
type Mark = (typeof MARKS)[number];

/** Marks the characters of a text that a part begins, wherever the part occurs. */
const markPart = (text: string, part: string, marks: (Mark | undefined)[], mark: Mark): void => {
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) marks.fill(mark, at, at + part.length);
};

/** Marks all pieces of a text that occur in one of the sent texts. */
const markPieces = (text: string, sent: readonly string[], marks: (Mark | undefined)[], mark: Mark): void => {
  const pieces = new Set<string>();
  for (const one of sent) {
    for (let at = 0; at + PIECE_CHARACTERS <= one.length; at++) pieces.add(one.slice(at, at + PIECE_CHARACTERS));
  }
  if (pieces.size === 0) return;
  for (let at = 0; at + PIECE_CHARACTERS <= text.length; at++) {
    if (pieces.has(text.slice(at, at + PIECE_CHARACTERS))) marks.fill(mark, at, at + PIECE_CHARACTERS);
  }
};

/** The text with one mark in place of each run of marked characters. */
const withMarks = (text: string, marks: readonly (Mark | undefined)[]): string => {
  let shown = "";
  for (let at = 0; at < text.length; at++) {
    const mark = marks[at];
    if (mark === undefined) shown += text.charAt(at);
    else if (mark !== marks[at - 1]) shown += mark;
  }
  return shown;
};

/** Half a number or half a word at the end of a text, which would not be recognised as a secret. */
const UNFINISHED = /(?:[\d\s-]+|\S+)$/u;

/** @param body the answer's, as far as it was read. */
export const redactedAnswer = (body: string, type: DestinationSecrets["type"], sent: SentRequest): string => {
  const read = body.slice(0, READ_CHARACTERS).replace(/[^\P{Cc}\n\t]|\p{Bidi_Control}/gu, "\ufffd");
  const marks: (Mark | undefined)[] = Array.from({ length: read.length });
  const parts = secretParts(type, sent.url);
  const values = Object.values(sent.headers).flatMap((value) => value.split(/[\s,]/));
  markPieces(read, [...values, ...formsOf(sent.body)], marks, MARKS[1]);
  markPieces(read, parts, marks, MARKS[0]);
  for (const part of parts) if (part.length >= MIN_PART_CHARACTERS) markPart(read, part, marks, MARKS[0]);
  if (body.length <= READ_CHARACTERS)
    return cutText(redactText(withMarks(read, marks).toWellFormed()), MAX_ANSWER_CHARACTERS);
  const shown = withMarks(read.slice(0, -LOOK_AHEAD), marks).toWellFormed();
  return cutText(redactText(shown.replace(UNFINISHED, "")), MAX_ANSWER_CHARACTERS);
};
