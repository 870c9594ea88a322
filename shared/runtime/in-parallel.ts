/**
 * Does work on items, several at a time: the next item is taken when a place is free.
 * @throws what the first failing work threw, once all that had begun has ended; nothing is begun after a failure.
 */
export const inParallel = async <Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  places: number,
  work: (item: Item) => Promise<void>,
): Promise<void> => {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const failures: unknown[] = [];
  const workAway = async (): Promise<void> => {
    try {
      for (
        let next = await iterator.next();
        next.done !== true && failures.length === 0;
        next = await iterator.next()
      ) {
        await work(next.value);
      }
    } catch (error) {
      failures.push(error);
    }
  };
  await Promise.all(Array.from({ length: places }, workAway));
  if (failures.length > 0) throw failures[0];
};
