/** HTML from templates: whatever is put into one is text, and escaped, unless a template made it. */

const MARKUP = Symbol("markup");

/** A piece of HTML that a template made. Nothing that was ever JSON can be one. */
export type Markup = { readonly [MARKUP]: string };

/** What goes into a template: lists one after the other, undefined and false as nothing. */
export type Content = Markup | string | number | false | undefined | readonly Content[];

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Control characters but for white space are no characters of HTML. */
const FORBIDDEN = /[^\P{Cc}\t\n\r]/gu;

/** Marks that turn the direction of what follows would let one text change how another reads. */
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
