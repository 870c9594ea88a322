/** One table in memory, with its indexes. Stored items never change; a write replaces them. */
import { type Expressions, holds, type Item } from "../support/expressions.ts";

type IndexKeys = { partition: string; sort: string | undefined; holds: readonly string[] | undefined };

/** The keys of a table and of its indexes. `expiry`: the attribute with the time when an item expires, epoch seconds. */
export type TableKeys = {
  partition: string;
  sort: string | undefined;
  expiry: string | undefined;
  indexes: Readonly<Record<string, IndexKeys>>;
};

type Query = {
  index: string | undefined;
  /** With the key condition. */
  expressions: Expressions;
  isBackwards: boolean;
  start: Item | undefined;
  limit: number;
};

export type MemoryTable = ReturnType<typeof createTable>;

const SURROGATE = /[\ud800-\udfff]/;

/** In the order of UTF-8, which differs from UTF-16 only where there are surrogates. */
const compareBytes = (a: string, b: string): number => {
  if (!SURROGATE.test(a) && !SURROGATE.test(b)) return a < b ? -1 : Number(a > b);
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
};

const compare = (a: unknown, b: unknown): number =>
  typeof a === "string" && typeof b === "string" ? compareBytes(a, b) : Number(a) - Number(b);

/** The value that a key condition demands of the partition key. */
const partitionOf = ({ ConditionExpression: text, ...names }: Expressions, attribute: string): unknown => {
  for (const [, name = "", value = ""] of text.matchAll(/(#?\w+) = (:\w+)/g)) {
    if ((names.ExpressionAttributeNames[name] ?? name) === attribute) return names.ExpressionAttributeValues[value];
  }
  throw new SyntaxError(`${text} does not name the partition key ${attribute}.`);
};

export const createTable = ({ partition, sort, expiry, indexes }: TableKeys) => {
  /** By partition key and sort key. */
  const partitions = new Map<unknown, Map<unknown, Item>>();
  /** By index and its partition key. */
  const entries = new Map(Object.keys(indexes).map((name) => [name, new Map<unknown, Set<Item>>()]));

  const keyOf = (item: Item): Item => ({
    [partition]: item[partition],
    ...(sort !== undefined && { [sort]: item[sort] }),
  });

  const inIndex = ({ partition, sort }: IndexKeys, item: Item): boolean =>
    item[partition] !== undefined && (sort === undefined || item[sort] !== undefined);

  const index = (item: Item, change: (set: Set<Item>) => void): void => {
    for (const [name, keys] of Object.entries(indexes)) {
      if (!inIndex(keys, item)) continue;
      const byPartition = entries.get(name);
      const set = byPartition?.get(item[keys.partition]) ?? new Set();
      change(set);
      byPartition?.set(item[keys.partition], set);
    }
  };

  const get = (key: Item): Item | undefined => partitions.get(key[partition])?.get(sort && key[sort]);

  const remove = (key: Item): void => {
    const item = get(key);
    if (item === undefined) return;
    partitions.get(key[partition])?.delete(sort && key[sort]);
    index(item, (set) => set.delete(item));
  };

  /** In the order of a query. */
  const ordered = (items: readonly Item[], by: readonly (string | undefined)[], isBackwards: boolean): Item[] => {
    const order = (a: Item, b: Item): number => {
      for (const name of by) {
        const difference = name === undefined ? 0 : compare(a[name], b[name]);
        if (difference !== 0) return isBackwards ? -difference : difference;
      }
      return 0;
    };
    return items.toSorted(order);
  };

  const projected = (item: Item, keys: IndexKeys): Item => {
    if (keys.holds === undefined) return item;
    const held = [partition, sort, keys.partition, keys.sort, ...keys.holds];
    return Object.fromEntries(Object.entries(item).filter(([name]) => held.includes(name)));
  };

  return {
    keyOf,
    get,
    delete: remove,
    put(item: Item): void {
      remove(item);
      const within = partitions.get(item[partition]) ?? new Map<unknown, Item>();
      partitions.set(item[partition], within.set(sort && item[sort], item));
      index(item, (set) => set.add(item));
    },
    query({ index: name, expressions, isBackwards, start, limit }: Query): { items: Item[]; last: Item | undefined } {
      const keys = name === undefined ? { partition, sort, holds: undefined } : indexes[name];
      if (keys === undefined) throw new SyntaxError(`There is no index ${name}.`);
      const value = partitionOf(expressions, keys.partition);
      const candidates =
        name === undefined ? (partitions.get(value)?.values() ?? []) : (entries.get(name)?.get(value) ?? []);
      const by = name === undefined ? [sort] : [keys.sort, partition, sort];
      const found = ordered(
        [...candidates].filter((item) => holds(expressions, item)),
        by,
        isBackwards,
      );
      const isAfterStart = (item: Item) => start === undefined || ordered([start, item], by, isBackwards)[0] === start;
      const isStart = (item: Item) => start !== undefined && compareKeys(item, start);
      const compareKeys = (a: Item, b: Item) =>
        a[partition] === b[partition] && (sort === undefined || a[sort] === b[sort]);
      const rest = found.filter((item) => isAfterStart(item) && !isStart(item));
      const items = rest.slice(0, limit).map((item) => projected(item, keys));
      const last = rest.length >= limit ? rest[limit - 1] : undefined;
      const lastKey = last && {
        ...keyOf(last),
        ...(name !== undefined && { [keys.partition]: last[keys.partition] }),
        ...(name !== undefined && keys.sort !== undefined && { [keys.sort]: last[keys.sort] }),
      };
      return { items, last: lastKey };
    },
    all: (): Item[] => [...partitions.values()].flatMap((within) => [...within.values()]),
    expire(nowSeconds: number): void {
      if (expiry === undefined) return;
      for (const within of partitions.values()) {
        for (const item of within.values()) if (Number(item[expiry]) < nowSeconds) remove(item);
      }
    },
  };
};
