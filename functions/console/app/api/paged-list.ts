/** Lists that are read page by page as the user asks for more. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { asProblem, type Problem } from "./problem.ts";

export type Page<Item> = { items: readonly Item[]; next: string | undefined };

export type PagedList<Item> = {
  /** The pages so far. A page that was read keeps its identity, so that its rows are not drawn again. */
  pages: readonly (readonly Item[])[];
  problem: Problem | undefined;
  isLoading: boolean;
  hasMore: boolean;
  more(): void;
  /** Reads the first page again. */
  reload(): void;
  /** Shows other items until the next read. @returns how to take them back. */
  change(each: (item: Item) => Item): () => void;
};

type State<Item> = {
  key: string;
  pages: readonly (readonly Item[])[];
  next: string | undefined;
  problem: Problem | undefined;
  isLoading: boolean;
};

const empty = <Item>(key: string): State<Item> => ({
  ...{ key, pages: [], next: undefined, problem: undefined, isLoading: true },
});

/** @param key identifies the list with its filters: another key starts at the first page. */
export const usePagedList = <Item>(
  key: string,
  loadPage: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Item>>,
): PagedList<Item> => {
  const [stored, setState] = useState(() => empty<Item>(key));
  const state = stored.key === key ? stored : empty<Item>(key);
  const loadNow = useRef(loadPage);
  loadNow.current = loadPage;
  const controller = useRef<AbortController | undefined>(undefined);

  const read = useCallback(
    async (cursor: string | undefined): Promise<void> => {
      controller.current?.abort();
      controller.current = new AbortController();
      const { signal } = controller.current;
      setState((before) => ({ ...(before.key === key ? before : empty<Item>(key)), isLoading: true }));
      try {
        const { items, next } = await loadNow.current(cursor, signal);
        if (signal.aborted) return;
        setState(({ pages }) => ({
          ...{ key, next, problem: undefined, isLoading: false },
          pages: cursor === undefined ? [items] : [...pages, items],
        }));
      } catch (error) {
        if (signal.aborted) return;
        setState((before) => ({ ...before, problem: asProblem(error), isLoading: false }));
      }
    },
    [key],
  );

  useEffect(() => {
    void read(undefined);
    return () => controller.current?.abort();
  }, [read]);

  const { pages, next, problem, isLoading } = state;
  return {
    ...{ pages, problem, isLoading },
    hasMore: next !== undefined,
    more: () => {
      if (!isLoading && next !== undefined) void read(next);
    },
    reload: () => void read(undefined),
    change: (each) => {
      const changed = pages.map((items) => items.map(each));
      setState((before) => ({ ...before, pages: changed }));
      return () => setState((before) => (before.pages === changed ? { ...before, pages } : before));
    },
  };
};
