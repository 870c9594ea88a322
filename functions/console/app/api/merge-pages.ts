/** A list whose first page is read again and again, while older pages stay as they are. Pure. */
import type { Page } from "./paged-list.ts";

/** `cursor`: with which the page was read; undefined for the first page. */
export type ReadPage<Item> = Page<Item> & { cursor: string | undefined };

type Identified = { id: string };

/**
 * The pages after the first page was read again. Items that have moved from the first page to the next one, because new ones
 * came, stay. If the new first page does not reach the items that were read before, what is between is not known, and the
 * list begins again with it.
 */
export const withFirstPage = <Item extends Identified>(
  pages: readonly ReadPage<Item>[],
  first: Page<Item>,
): readonly ReadPage<Item>[] => {
  const begins = { ...first, cursor: undefined };
  const oldest = first.items.at(-1);
  // A page of a filtered list may be empty and still have a next one.
  if (oldest === undefined) return [begins, ...(first.next === undefined ? [] : pages.slice(1))];
  if (first.next === undefined) return [begins];
  const known = pages.flatMap(({ items }) => items);
  const at = known.findIndex(({ id }) => id === oldest.id);
  if (at < 0 || pages.length < 2) return [begins];
  const shown = new Set(first.items.map(({ id }) => id));
  const [before, ...older] = pages;
  // Those that moved out of the first page belong before the next page, whose cursor stays.
  const moved = (before?.items ?? []).filter((_, index) => index > at);
  return [
    { ...begins, items: [...first.items, ...moved], next: before?.next },
    ...older.map((page) => ({ ...page, items: page.items.filter(({ id }) => !shown.has(id)) })),
  ];
};

/** The pages after one of them was read again by its cursor. */
export const withPage = <Item extends Identified>(
  pages: readonly ReadPage<Item>[],
  again: ReadPage<Item>,
): readonly ReadPage<Item>[] => {
  const others = new Set(
    pages.filter(({ cursor }) => cursor !== again.cursor).flatMap(({ items }) => items.map(({ id }) => id)),
  );
  return pages.map((page) =>
    page.cursor === again.cursor ? { ...page, items: again.items.filter(({ id }) => !others.has(id)) } : page,
  );
};

/** The pages with the item in its new state; a new item comes first. */
export const withItem = <Item extends Identified>(
  pages: readonly ReadPage<Item>[],
  item: Item,
): readonly ReadPage<Item>[] => {
  const isKnown = pages.some(({ items }) => items.some(({ id }) => id === item.id));
  return pages.map((page, index) => ({
    ...page,
    items:
      !isKnown && index === 0
        ? [item, ...page.items]
        : page.items.map((shown) => (shown.id === item.id ? item : shown)),
  }));
};
