/** Pages of the local cloud's own servers, for people: without a script, and encoded by the template `html`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** HTML that needs no encoding. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
type Content = Markup | string | readonly Markup[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Controls, and characters that reorder the text around them. */
const INVISIBLE = /\p{Bidi_Control}|[^\P{Cc}\t\n\r]/gu;

const encode = (content: Content): string => {
  if (content instanceof Markup) return content.text;
  if (typeof content !== "string") return content.map(({ text }) => text).join("");
  return content.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "").replace(INVISIBLE, "\ufffd");
};

/** HTML in which each value is encoded, unless it is HTML itself. Attributes must be in double quotes. */
export const html = (parts: TemplateStringsArray, ...values: Content[]): Markup =>
  new Markup(parts.map((part, index) => part + (index < values.length ? encode(values[index] ?? "") : "")).join(""));

/** Where the style sheet of the pages is on each server that has pages. */
export const STYLES_PATH = "/page.css";

export const readStyles = (): string => readFileSync(join(import.meta.dirname, "page.css"), "utf8");

/** A whole page: one column in the local cloud's style. */
export const htmlPage = (title: string, content: Markup): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${STYLES_PATH}">
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`.text;
