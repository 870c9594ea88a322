/** How a page of a list is written. Decisions: docs/decisions.md, "Lists". */

/** A page ends before its body reaches this, so that an answer always fits what Lambda may return (6 MB). */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/**
 * A list as JSON text that stays below a size, with one item at least.
 * @returns the text, and the index of the first item that had no room.
 */
export const renderList = <Item>(
  items: readonly Item[],
  render: (item: Item) => string,
  maxBytes = MAX_PAGE_BYTES,
): { text: string; end: number } => {
  const rendered: string[] = [];
  let bytes = 2;
  for (const item of items) {
    const text = render(item);
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > maxBytes && rendered.length > 0) break;
    rendered.push(text);
  }
  return { text: `[${rendered.join(",")}]`, end: rendered.length };
};
