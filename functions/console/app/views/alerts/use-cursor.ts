/** The row that keys act on: the last one that had the focus. It stays on its alert while the list changes around it. */
import { type Signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

export type Cursor = {
  id: Signal<string | undefined>;
  /** To the next or the previous row; without a cursor, to the first. */
  move: (step: 1 | -1) => void;
  /** Puts the focus on the cursor's row. */
  focus: () => void;
  /** The checkbox of the row. */
  toggle: () => void;
};

/** The alert that was opened last: the list begins there when the user comes back. */
let opened: string | undefined;

export const noteOpened = (id: string): void => {
  opened = id;
};

/** @param ids of the rows, in their order. */
export const useCursor = (table: RefObject<HTMLTableElement | null>, ids: readonly string[]): Cursor => {
  const id = useSignal<string | undefined>(undefined);
  const index = useRef(0);

  const rowOf = (one: string | undefined): HTMLElement | null | undefined =>
    one === undefined ? undefined : table.current?.querySelector<HTMLElement>(`[data-alert="${CSS.escape(one)}"]`);
  const focusRow = (one: string | undefined): void => rowOf(one)?.querySelector("a")?.focus();

  useLayoutEffect(() => {
    const present = ids.indexOf(id.peek() ?? "");
    if (present >= 0) index.current = present;
    else if (id.peek() !== undefined && ids.length > 0) {
      // The row has left the list: the one that took its place is next.
      id.value = ids[Math.min(index.current, ids.length - 1)];
      if (document.activeElement === document.body) focusRow(id.peek());
    }
  });

  useLayoutEffect(() => {
    if (opened === undefined || ids.length === 0) return;
    const back = opened;
    opened = undefined;
    if (!ids.includes(back)) return;
    id.value = back;
    // The page's heading takes the focus first.
    requestAnimationFrame(() => focusRow(back));
  });

  return {
    id,
    move: (step) => {
      const at = ids.indexOf(id.peek() ?? "");
      const next = ids[at === -1 ? 0 : Math.min(ids.length - 1, Math.max(0, at + step))];
      if (next === undefined) return;
      index.current = ids.indexOf(next);
      id.value = next;
      focusRow(next);
    },
    focus: () => focusRow(id.peek() ?? ids[0]),
    toggle: () => rowOf(id.peek())?.querySelector("input")?.click(),
  };
};
