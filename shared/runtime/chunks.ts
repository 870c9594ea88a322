/** Splits items into chunks of at most `size`, in order. Takes an item only when its chunk is asked for. */
export function* chunksOf<Item>(items: Iterable<Item>, size: number): Generator<Item[], void, void> {
  let chunk: Item[] = [];
  for (const item of items) {
    chunk.push(item);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
