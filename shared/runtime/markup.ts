/** HTML templates. Every inserted value is escaped as text, unless a template made it. */

const MARKUP = Symbol("markup");

/** A piece of HTML that a template made. Parsed JSON cannot contain the symbol, so it cannot pass for one. */
export type Markup = { readonly [MARKUP]: string };

/** The values of a template: lists are joined, undefined and false are left out. */
export type Content = Markup | string | number | false | undefined | readonly Content[];

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Control characters other than white space are not allowed in HTML. */
const FORBIDDEN = /[^\P{Cc}\t\n\r]/gu;

/** Direction marks in one text could change how another text reads. */
const DIRECTION = /\p{Bidi_Control}/gu;

const escapeText = (text: string): string =>
  text
    .replace(FORBIDDEN, "\ufffd")
    .replace(DIRECTION, "")
    .replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "");

const render = (content: Content): string => {
  if (content === undefined || content === false) return "";
  if (typeof content === "string") return escapeText(content);
  if (typeof content === "number") return String(content);
  if (MARKUP in content) return content[MARKUP];
  return content.map(render).join("");
};

/** A piece of HTML: html`<p title="${title}">${text}</p>`. Attributes are put between double quotes. */
export const html = (strings: TemplateStringsArray, ...contents: readonly Content[]): Markup => ({
  [MARKUP]: strings.map((text, index) => text + render(contents[index])).join(""),
});

/** The text of a piece of HTML. */
export const textOf = (markup: Markup): string => markup[MARKUP];
