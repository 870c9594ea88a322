/** Keys that do something while a view is open. Typing in a field and keys with a modifier are left alone. */
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

export type Shortcuts = Readonly<Record<string, { does: string; run: () => void }>>;

/** The keys of the views that are open, for the help. */
export const activeShortcuts = signal<readonly Shortcuts[]>([]);

const STORED = "console.keys";

const readStored = (): boolean => {
  try {
    return localStorage.getItem(STORED) !== "off";
  } catch {
    return true;
  }
};

/**
 * Whether keys do something. People who speak to their computer can turn them off, for all pages of this browser:
 * https://www.w3.org/WAI/WCAG22/Understanding/character-key-shortcuts.html
 */
export const areKeysOn = signal(readStored());

export const turnKeys = (isOn: boolean): void => {
  areKeysOn.value = isOn;
  try {
    localStorage.setItem(STORED, isOn ? "on" : "off");
  } catch {
    // The browser stores nothing: the choice holds until the page is closed.
  }
};

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
      if (!areKeysOn.value || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
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
