/** The keys of the list. They work on the row that has the focus. */
import type { RefObject } from "preact";
import { useShortcuts } from "../../parts/shortcuts.ts";

type Props = {
  table: RefObject<HTMLTableElement | null>;
  onFilter: () => void;
  onLive: () => void;
  /** Undefined if the user may not mark events. */
  onMark: ((focusedId: string | undefined) => void) | undefined;
};

const ROW = "[data-event]";

export const ListKeys = ({ table, onFilter, onLive, onMark }: Props) => {
  const focused = (): HTMLElement | undefined => {
    const row = document.activeElement?.closest<HTMLElement>(ROW);
    return row !== undefined && row !== null && table.current?.contains(row) === true ? row : undefined;
  };
  const move = (step: "nextElementSibling" | "previousElementSibling"): void => {
    const row = focused();
    const chunk = row?.parentElement?.[step];
    const next =
      row === undefined
        ? table.current?.querySelector(ROW)
        : (row[step] ??
          (step === "nextElementSibling" ? chunk?.querySelector(ROW) : chunk?.querySelector(`${ROW}:last-child`)));
    next?.querySelector("a")?.focus();
  };
  useShortcuts({
    j: { does: "Next event", run: () => move("nextElementSibling") },
    k: { does: "Previous event", run: () => move("previousElementSibling") },
    f: { does: "Filter", run: onFilter },
    l: { does: "Live tail on or off", run: onLive },
    ...(onMark !== undefined && {
      x: { does: "Select the event", run: () => focused()?.querySelector("input")?.click() },
      p: {
        does: "Mark the selected events, or the event, as processed",
        run: () => onMark(focused()?.dataset.event),
      },
    }),
  });
  return null;
};
