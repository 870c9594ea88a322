/**
 * Lists whose newest items are read again while the view is open, and whose older pages are read as the user asks for more. A
 * page with items that still change is read again, too.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { type ReadPage, withFirstPage, withItem, withPage } from "./merge-pages.ts";
import { afterCursor, type LoadPage, type Page } from "./paged-list.ts";
import { asProblem, type Problem } from "./problem.ts";
import { useResource } from "./resource.ts";

export type LiveList<Item> = {
  /** Newest first; undefined until the first page was read. */
  value: readonly Item[] | undefined;
  /** Why the newest items could not be read again. */
  problem: Problem | undefined;
  /** Reads the first page again, and those that still change. */
  reload(): void;
  /** Shows an item in another state, or a new item first, until it is read again. */
  put(item: Item): void;
  older: OlderPages;
};

/** As `LoadMore` takes them. */
type OlderPages = {
  pages: readonly (readonly unknown[])[];
  problem: Problem | undefined;
  isLoading: boolean;
  hasMore: boolean;
  more(): void;
};

type Options<Item> = {
  everyMs: number;
  /** Whether an item still changes. */
  isOpen: (item: Item) => boolean;
  /** The pause while an item is open. */
  openMs?: number;
};

/** The answer with the pages that were read at the same time. */
type Answer<Item> = { first: Page<Item>; again: readonly ReadPage<Item>[] };

/** Pages that are read again at once. */
const MOST_AGAIN = 3;

type State<Item> = { key: string; answer: Answer<Item> | undefined; pages: readonly ReadPage<Item>[] };

/** @param key identifies the list with its filters: another key starts at the first page. */
export const useLiveList = <Item extends { id: string }>(
  key: string,
  loadPage: LoadPage<Item>,
  { everyMs, isOpen, openMs = everyMs }: Options<Item>,
): LiveList<Item> => {
  const state = useRef<State<Item>>({ key, answer: undefined, pages: [] });
  const [older, setOlder] = useState<{ key: string; isLoading: boolean; problem?: Problem }>({ key, isLoading: false });
  if (state.current.key !== key) state.current = { key, answer: undefined, pages: [] };
  const head = useResource<Answer<Item>>(
    key,
    async (signal) => {
      const again = state.current.pages.slice(1).filter(({ items }) => items.some(isOpen));
      const [first, ...others] = await Promise.all([
        loadPage({}, signal),
        ...again
          .slice(0, MOST_AGAIN)
          .map(
            async ({ cursor }) =>
              ({ ...(await loadPage(afterCursor(cursor), signal)), cursor }) satisfies ReadPage<Item>,
          ),
      ]);
      return { first, again: others };
    },
    {
      everyMs: (answer) => {
        const { pages, answer: merged } = state.current;
        // A new answer is not in the pages yet.
        const shown = answer === undefined || answer === merged ? pages : [answer.first, ...pages.slice(1)];
        return shown.some(({ items }) => items.some(isOpen)) ? openMs : everyMs;
      },
    },
  );
  if (head.value !== undefined && head.value !== state.current.answer) {
    const { first, again } = head.value;
    const pages = again.reduce<readonly ReadPage<Item>[]>(withPage, withFirstPage(state.current.pages, first));
    state.current = { key, answer: head.value, pages };
  }

  const controller = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => controller.current?.abort(), [key]);

  const { pages } = state.current;
  const cursor = pages.at(-1)?.next;
  const isLoadingOlder = older.key === key && older.isLoading;
  const more = async (): Promise<void> => {
    if (isLoadingOlder || cursor === undefined) return;
    controller.current = new AbortController();
    const { signal } = controller.current;
    setOlder({ key, isLoading: true });
    try {
      const page = await loadPage({ cursor }, signal);
      const { current } = state;
      // The list may have begun again while the page was read.
      if (!signal.aborted && current.pages.at(-1)?.next === cursor) {
        const shown = new Set(current.pages.flatMap(({ items }) => items.map(({ id }) => id)));
        const items = page.items.filter(({ id }) => !shown.has(id));
        state.current = { ...current, pages: [...current.pages, { ...page, items, cursor }] };
      }
      if (!signal.aborted) setOlder({ key, isLoading: false });
    } catch (error) {
      if (!signal.aborted) setOlder({ key, isLoading: false, problem: asProblem(error) });
    }
  };

  return {
    value: head.value === undefined ? undefined : pages.flatMap(({ items }) => items),
    problem: head.problem,
    reload: head.reload,
    put: (item) => {
      state.current = { ...state.current, pages: withItem(state.current.pages, item) };
      setOlder((before) => ({ ...before }));
    },
    older: {
      pages: pages.map(({ items }) => items),
      problem: older.key === key ? older.problem : undefined,
      isLoading: isLoadingOlder,
      hasMore: cursor !== undefined,
      more: () => void more(),
    },
  };
};
