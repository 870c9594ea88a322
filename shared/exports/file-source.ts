/** What a file of an export is made of: pages of text, each after the position where the previous one ended. */
import { encodeJson } from "../json/encode-json.ts";

/** `count`: the entries in the text. `next`: the position after the page; undefined after the last one. */
export type SourcePage = { text: string; count: number; next: string | undefined };

export type FileSource = {
  name: string;
  contentType: string;
  /** Before the first entry, such as the header of a table. */
  head?: string;
  /**
   * Reads a page of bounded size; it may be empty though more pages follow.
   * @param after the position after the previous page; undefined for the first one.
   * @throws DomainError `store_unavailable`.
   */
  read(after: string | undefined): Promise<SourcePage>;
};

/** https://github.com/ndjson/ndjson-spec */
export const NDJSON = "application/x-ndjson";

/** Each value as JSON in a line of its own. */
export const toLines = (values: readonly unknown[]): string => values.map((value) => `${encodeJson(value)}\n`).join("");

type Page<Item, Position> = { items: readonly Item[]; next: Position | undefined };

/**
 * A file with a line for each item of a list that is read page by page.
 * @param readPage reads the page after a position, which must be JSON.
 */
export const linesOf = <Item, Position>(
  name: string,
  readPage: (after: Position | undefined) => Promise<Page<Item, Position>>,
): FileSource => ({
  name,
  contentType: NDJSON,
  async read(after) {
    // A position is stored as this service wrote it.
    const { items, next } = await readPage(after === undefined ? undefined : (JSON.parse(after) as Position));
    return { text: toLines(items), count: items.length, next: next === undefined ? undefined : JSON.stringify(next) };
  },
});

/** A file with one value as readable JSON. */
export const jsonOf = (name: string, readValue: () => Promise<unknown>): FileSource => ({
  name,
  contentType: "application/json",
  async read() {
    return { text: `${JSON.stringify(await readValue(), undefined, 2)}\n`, count: 1, next: undefined };
  },
});
