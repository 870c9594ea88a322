/** How much of a list fits into a response: the one rule for the size of all pages. docs/decisions.md, "Lists". */
import { encodeJson } from "../json/encode-json.ts";

/** The largest body of a page. Decisions: a page ends before 4 MB. */
export const MAX_PAGE_BYTES = 4_000_000;

/**
 * The largest result of a function. Lambda counts the JSON text of the result, in which the body is a string: each `"` and
 * `\` of the body takes two bytes. A larger result is `Function.ResponseSizeTooLarge`, and the gateway answers 500.
 * Sources: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html,
 * https://zaccharles.medium.com/deep-dive-lambdas-response-payload-size-limit-8aedba9530ed
 */
const MAX_RESULT_BYTES = 6_291_556;
/** For status and headers. `Link` repeats the request's query, of which the gateway accepts 10 KB. */
const HEADERS_BYTES = 65_536;

/** The size of a text, or the room for it: in the body, and in the result, where the body is a JSON string. */
export type Size = { bytes: number; escapedBytes: number };

export const PAGE: Size = { bytes: MAX_PAGE_BYTES, escapedBytes: MAX_RESULT_BYTES - HEADERS_BYTES };

export const sizeOf = (text: string): Size => ({
  bytes: Buffer.byteLength(text),
  escapedBytes: Buffer.byteLength(JSON.stringify(text)) - 2,
});

/** The room that is left after a text. */
export const roomBeside = (room: Size, text: string): Size => {
  const size = sizeOf(text);
  return { bytes: room.bytes - size.bytes, escapedBytes: room.escapedBytes - size.escapedBytes };
};

/** The brackets of a list, less the comma that its first item does not have. */
const FRAME_BYTES = 1;

/**
 * The first items of a list that fit, as JSON text.
 * @param atLeast renders this many items even if they do not fit.
 * @returns the text, and the index of the first item that did not fit.
 */
export const fitList = (items: readonly unknown[], room: Size, atLeast = 0): { text: string; end: number } => {
  const rendered: string[] = [];
  let bytes = FRAME_BYTES;
  for (const item of items) {
    const text = encodeJson(item);
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > room.bytes && rendered.length >= atLeast) break;
    rendered.push(text);
  }
  let end = rendered.length;
  // Escaping at most doubles a JSON text, so most lists need not be counted again.
  if (2 * bytes > room.escapedBytes) {
    let escapedBytes = FRAME_BYTES;
    const cut = rendered.findIndex((text) => {
      escapedBytes += sizeOf(text).escapedBytes + 1;
      return escapedBytes > room.escapedBytes;
    });
    if (cut !== -1) end = Math.max(cut, Math.min(end, atLeast));
  }
  return { text: `[${rendered.slice(0, end).join(",")}]`, end };
};
