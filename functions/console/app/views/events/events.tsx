/** Events: the list, and in front of it one event. The list stays as it is, so that going back finds it unchanged. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso/router";
import { addressOf } from "../../words/address.ts";
import { EventDetail } from "./event-detail.tsx";
import { EventList } from "./event-list.tsx";
import type { Chosen } from "./query.ts";

const PATH = "/console/events";

/** Scrolls back to where the list was. The router goes to the top afterwards if the user followed a link. */
const useScrollMemory = (isShown: boolean): void => {
  const top = useRef(0);
  useLayoutEffect(() => {
    if (!isShown) return;
    if (top.current > 0) scrollTo(0, top.current);
    const remember = (): void => {
      top.current = scrollY;
    };
    addEventListener("scroll", remember, { passive: true });
    return () => removeEventListener("scroll", remember);
  }, [isShown]);
};

export const View = () => {
  const { query, route } = useLocation();
  const { id } = useRoute().params;
  /** What the list shows; undefined until it was opened. */
  const chosen = useRef<Chosen>(undefined);
  const opened = useRef<string>(undefined);
  if (id === undefined) chosen.current = query;
  else opened.current = id;
  const list = chosen.current;
  useScrollMemory(id === undefined);

  useLayoutEffect(() => {
    if (id !== undefined || opened.current === undefined) return;
    const link = document.querySelector<HTMLElement>(`[data-event="${CSS.escape(opened.current)}"] a`);
    link?.focus();
    opened.current = undefined;
  }, [id]);

  const onChoose = (changes: Chosen): void => route(addressOf(PATH, { ...list, ...changes }));
  return (
    <>
      {list !== undefined && (
        <div hidden={id !== undefined}>
          <EventList chosen={list} isShown={id === undefined} onChoose={onChoose} />
        </div>
      )}
      {id !== undefined && (
        <EventDetail key={id} id={id} onBack={() => (list === undefined ? route(PATH) : history.back())} />
      )}
    </>
  );
};
