/**
 * Works on items, several at a time. After a failure, no further item is begun.
 * @throws the error of the first failure, once all begun items have ended.
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
