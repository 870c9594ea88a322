/** The XML of S3. */
import type { AwsAnswer } from "./service.ts";

type Content = { readonly [name: string]: string | number | boolean | Content };

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const escapeXml = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: line breaks and tabs would change in the parser
  text.replace(/[&<>"\u0000-\u001f]/g, (character) => `&#${character.charCodeAt(0)};`);

const unescapeXml = (text: string): string =>
  text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (all, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name] ?? all;
    return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex ?? "0", 16) : Number(decimal));
  });

const elements = (content: Content): string =>
  Object.entries(content)
    .map(
      ([name, value]) => `<${name}>${typeof value === "object" ? elements(value) : escapeXml(String(value))}</${name}>`,
    )
    .join("");

/** An answer with the elements in this order; a list has several of one name. */
export const xmlAnswer = (status: number, root: string, contents: readonly Content[]): AwsAnswer => ({
  status,
  headers: { "content-type": "application/xml" },
  body: Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n<${root}>${contents.map(elements).join("")}</${root}>`),
});

export const errorXml = (status: number, Code: string, Message: string): AwsAnswer =>
  xmlAnswer(status, "Error", [{ Code, Message }]);

/** The contents of all elements of that name, wherever they are: texts, or XML. */
export const texts = (document: string, name: string, { isXml = false } = {}): string[] =>
  [...document.matchAll(new RegExp(`<${name}>([^]*?)</${name}>`, "g"))].map(([, content = ""]) =>
    isXml ? content : unescapeXml(content),
  );
