/** Keys that do something while a view is open. Typing in a field and keys with a modifier are left alone. */
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

export type Shortcuts = Readonly<Record<string, { does: string; run: () => void }>>;

/** The keys of the views that are open, for the help. */
export const activeShortcuts = signal<readonly Shortcuts[]>([]);

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("input:not([type=checkbox]), textarea, select"));

export const useShortcuts = (shortcuts: Shortcuts): void => {
  const now = useRef(shortcuts);
  now.current = shortcuts;
  useEffect(() => {
    const mine = now.current;
    activeShortcuts.value = [...activeShortcuts.value, mine];
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector("dialog[open]") !== null) return;
      const shortcut = now.current[event.key];
      if (shortcut === undefined) return;
      event.preventDefault();
      shortcut.run();
    };
    document.addEventListener("keydown", onKey);
    return () => {
      activeShortcuts.value = activeShortcuts.value.filter((other) => other !== mine);
      document.removeEventListener("keydown", onKey);
    };
  }, []);
};
