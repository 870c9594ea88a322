/**
 * Places: where an organization's data lies, each swept page by page. What a page names is counted and stored as counted
 * before it is removed, so that a crash in between neither loses a count nor counts twice. docs/erasure.md, "Rounds".
 */
import type { Removed } from "./erasure.ts";

/** What of a page is to go. */
export type PlacePage = {
  /** In ascending order of their UTF-8. */
  keys: readonly string[];
  /** The key that the next page starts after; undefined on the last one. */
  next: string | undefined;
  /** Removes what the keys name; again, it changes nothing. */
  remove(): Promise<void>;
};

export type Place = {
  /** Unique, and stored while the place is swept. */
  name: string;
  counts: keyof Removed;
  /** Reads strongly. */
  read(after: string | undefined): Promise<PlacePage>;
  /** When what a key names came into being, epoch ms; where nobody knows, it counts as having been there before. */
  timeOf?(key: string): number | undefined;
};

const nothing: PlacePage = { keys: [], next: undefined, remove: async () => undefined };

/** A place with one thing in it, that is to go or not. */
export const singlePlace = (
  name: string,
  /** What removes it; undefined where there is nothing to remove. */
  look: () => Promise<(() => Promise<void>) | undefined>,
): Place => ({
  name,
  counts: "other",
  read: async () => {
    const remove = await look();
    return remove === undefined ? nothing : { keys: [name], next: undefined, remove };
  },
});

/** Whether a key comes after another, as the store orders them. */
export const isAfter = (key: string, other: string | undefined): boolean =>
  other === undefined || Buffer.compare(Buffer.from(key), Buffer.from(other)) > 0;
