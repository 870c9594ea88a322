/** Events: the list, and in front of it one event. The list stays as it is, so that going back finds it unchanged. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso/router";
import { addressOf } from "../../address.ts";
import { EventDetail } from "./event-detail.tsx";
import { EventList } from "./event-list.tsx";
import type { Chosen } from "./selection.ts";

const PATH = "/console/events";

export const Events = () => {
  const { query, route } = useLocation();
  const { id } = useRoute().params;
  /** What the list shows; undefined until it was opened. */
  const chosen = useRef<Chosen>(undefined);
  const opened = useRef<string>(undefined);
  if (id === undefined) chosen.current = query;
  else opened.current = id;
  const list = chosen.current;

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
