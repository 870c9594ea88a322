/**
 * Times. The service's clock decides when things are due, so the difference to this browser's clock is taken from the
 * answers' `Date` header.
 */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** Below this, the difference is the header's resolution and the time of the answer on its way. */
const NOTABLE_MS = 5_000;

let aheadMs = 0;

/** @param date the `Date` header of an answer. */
export const noteServiceTime = (date: string | null): void => {
  const at = Date.parse(date ?? "");
  if (Number.isNaN(at)) return;
  const difference = at - Date.now();
  aheadMs = Math.abs(difference) < NOTABLE_MS ? 0 : difference;
};

/** The service's time, epoch milliseconds. */
export const serviceNow = (): number => Date.now() + aheadMs;

/** The service's time as views show it: it moves each second while a view that needs it is open. */
const shown = signal(Date.now());
let users = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** The service's time; the component is drawn again each second. */
export const useNow = (): number => {
  useEffect(() => {
    users++;
    timer ??= setInterval(() => {
      if (!document.hidden) shown.value = serviceNow();
    }, 1_000);
    return () => {
      users--;
      if (users > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, []);
  // The signal may be older than the first second.
  return Math.max(shown.value, serviceNow());
};
