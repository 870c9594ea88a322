/** Lists that are read page by page as the user asks for more. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { asProblem, type Problem } from "./problem.ts";

export type Page<Item> = { items: readonly Item[]; next: string | undefined };

/** The part of a query that asks for the page after another one; nothing for the first page. */
export type After = { cursor?: string };

export type LoadPage<Item> = (after: After, signal: AbortSignal) => Promise<Page<Item>>;

export const afterCursor = (cursor: string | undefined): After => (cursor === undefined ? {} : { cursor });

export type PagedList<Item> = {
  /** The pages so far. A page that was read keeps its identity, so that its rows are not drawn again. */
  pages: readonly (readonly Item[])[];
  /** Why the first page could not be read, for the first time or again. */
  problem: Problem | undefined;
  /** Why the page after the others could not be read. */
  moreProblem: Problem | undefined;
  isLoading: boolean;
  /** Whether the pages belong to another key, until the first page of this one is read. */
  isStale: boolean;
  hasMore: boolean;
  more(): void;
  /** Reads the first page again. */
  reload(): void;
};

type State<Item> = {
  /** The key of the pages. */
  key: string;
  pages: readonly (readonly Item[])[];
  next: string | undefined;
  problem: Problem | undefined;
  moreProblem: Problem | undefined;
  isLoading: boolean;
};

const empty = <Item>(key: string): State<Item> => ({
  key,
  pages: [],
  next: undefined,
  problem: undefined,
  moreProblem: undefined,
  isLoading: true,
});

/**
 * @param key identifies the list with its filters: another key starts at the first page. The rows before stay until then.
 */
export const usePagedList = <Item>(key: string, loadPage: LoadPage<Item>): PagedList<Item> => {
  const [stored, setState] = useState(() => empty<Item>(key));
  const isStale = stored.key !== key && stored.pages.some(({ length }) => length > 0);
  const state = stored.key === key || isStale ? stored : empty<Item>(key);
  const loadNow = useRef(loadPage);
  loadNow.current = loadPage;
  const controller = useRef<AbortController | undefined>(undefined);

  const read = useCallback(
    async (cursor: string | undefined): Promise<void> => {
      controller.current?.abort();
      controller.current = new AbortController();
      const { signal } = controller.current;
      setState((before) => ({ ...before, isLoading: true }));
      try {
        const { items, next } = await loadNow.current(afterCursor(cursor), signal);
        if (signal.aborted) return;
        setState(({ pages }) => ({
          key,
          next,
          problem: undefined,
          moreProblem: undefined,
          isLoading: false,
          pages: cursor === undefined ? [items] : [...pages, items],
        }));
      } catch (error) {
        if (signal.aborted) return;
        const why = cursor === undefined ? "problem" : "moreProblem";
        setState((before) => ({
          ...(before.key === key ? before : empty<Item>(key)),
          [why]: asProblem(error),
          isLoading: false,
        }));
      }
    },
    [key],
  );

  useEffect(() => {
    void read(undefined);
    return () => controller.current?.abort();
  }, [read]);

  const { pages, next } = state;
  const isLoading = isStale || state.isLoading;
  return {
    pages,
    isLoading,
    isStale,
    problem: isStale ? undefined : state.problem,
    moreProblem: isStale ? undefined : state.moreProblem,
    hasMore: next !== undefined,
    more: () => {
      if (!isLoading && next !== undefined) void read(next);
    },
    reload: () => void read(undefined),
  };
};
