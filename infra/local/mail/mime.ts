/** E-mails as files that a mail program opens (RFC 5322, RFC 2045), and back. */
import { randomBytes } from "node:crypto";

/** `headers` are further headers, such as List-Unsubscribe, without line breaks. */
export type MailContent = {
  from: string;
  to: readonly string[];
  subject: string;
  text?: string;
  html?: string;
  headers: readonly { name: string; value: string }[];
};

/** A line of a message has at most 998 bytes. https://www.rfc-editor.org/rfc/rfc5322#section-2.1.1 */
const MAX_LINE_BYTES = 998;
/** An encoded word has at most 75 characters; with 42 bytes of text, it has 68. https://www.rfc-editor.org/rfc/rfc2047 */
const MAX_WORD_BYTES = 42;

/** A header's text: as it is if it is short ASCII, else in encoded words. */
const headerText = (text: string): string => {
  if (/^[ -~]{0,900}$/.test(text)) return text;
  const words: string[] = [];
  for (const character of text) {
    const last = words.at(-1);
    if (last === undefined || Buffer.byteLength(last + character) > MAX_WORD_BYTES) words.push(character);
    else words[words.length - 1] = last + character;
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString("base64")}?=`).join("\r\n ");
};

const decodeHeader = (text: string): string =>
  text
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(/=\?UTF-8\?B\?([^?]*)\?=/g, (_all, word: string) => Buffer.from(word, "base64").toString());

const partOf = (type: string, content: string): string => {
  const text = content.replace(/\r?\n/g, "\r\n");
  const isPlain = text.split("\r\n").every((line) => Buffer.byteLength(line) <= MAX_LINE_BYTES);
  const encoded = isPlain
    ? text
    : (
        Buffer.from(text)
          .toString("base64")
          .match(/.{1,76}/g) ?? []
      ).join("\r\n");
  const encoding = isPlain ? "8bit" : "base64";
  return `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${encoded}`;
};

/** The message with the content's text and HTML as alternatives. @param sentAt epoch ms. */
export const composeMail = ({ from, to, subject, text, html, headers }: MailContent, sentAt: number): string => {
  const boundary = `=_${randomBytes(12).toString("hex")}`;
  const date = new Date(sentAt).toUTCString().replace("GMT", "+0000");
  const fields = [
    ["From", from],
    ["To", to.join(", ")],
    ["Subject", headerText(subject)],
    ["Date", date],
    ["Message-ID", `<${randomBytes(12).toString("hex")}@local.invalid>`],
    ...headers.map(({ name, value }) => [name, value]),
    ["MIME-Version", "1.0"],
    ["Content-Type", `multipart/alternative; boundary="${boundary}"`],
  ];
  const parts = [
    ...(text === undefined ? [] : [partOf("text/plain", text)]),
    ...(html === undefined ? [] : [partOf("text/html", html)]),
  ];
  return [
    ...fields.map(([name, value]) => `${name}: ${value}`),
    "",
    ...parts.map((part) => `--${boundary}\r\n${part}`),
    `--${boundary}--`,
    "",
  ].join("\r\n");
};

const headersIn = (head: string): [name: string, value: string][] =>
  head
    .replace(/\r\n (?=\S)/g, " ")
    .split("\r\n")
    .map((line) => {
      const end = line.indexOf(": ");
      return [line.slice(0, end), decodeHeader(line.slice(end + 2))];
    });

/** Splits at the first empty line. */
const headAndBody = (message: string): [head: string, body: string] => {
  const end = message.indexOf("\r\n\r\n");
  return [message.slice(0, end), message.slice(end + 4)];
};

/** The headers of a message of `composeMail` by name, and its alternatives. */
export const parseMail = (message: string) => {
  const [head, body] = headAndBody(message);
  const headers = Object.fromEntries(headersIn(head));
  const [, boundary = ""] = /boundary="([^"]+)"/.exec(headers["Content-Type"] ?? "") ?? [];
  const alternatives = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      // The line breaks around a part belong to the boundaries.
      const [partHead, content] = headAndBody(part.slice(2, -2));
      const partHeaders = Object.fromEntries(headersIn(partHead));
      const isBase64 = partHeaders["Content-Transfer-Encoding"] === "base64";
      const decoded = isBase64 ? Buffer.from(content, "base64").toString() : content;
      const name = partHeaders["Content-Type"]?.startsWith("text/html") ? "html" : "text";
      return [name, decoded.replaceAll("\r\n", "\n")] as const;
    });
  const { text, html }: { text?: string; html?: string } = Object.fromEntries(alternatives);
  return { headers, text, html };
};
