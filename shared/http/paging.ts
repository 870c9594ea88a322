/** How a page of a list is written. Decisions: docs/decisions.md, "Lists". */

/** A page ends before its body reaches this, so that an answer always fits what Lambda may return (6 MB). */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/**
 * The items of a page as a JSON array that stays below MAX_PAGE_BYTES, one item at least.
 * @returns the text, and the index of the first item that had no room.
 */
export const renderPage = <Item>(
  items: readonly Item[],
  render: (item: Item) => string,
): { body: string; end: number } => {
  const rendered: string[] = [];
  let bytes = 2;
  for (const item of items) {
    const text = render(item);
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > MAX_PAGE_BYTES && rendered.length > 0) break;
    rendered.push(text);
  }
  return { body: `[${rendered.join(",")}]`, end: rendered.length };
};
