/** Asks before the user leaves a view with changes that are not saved. */
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { session } from "../session/session.ts";
import { Confirm } from "./dialog.tsx";
import { interceptBack } from "./intercept-back.ts";

/** The address of a link that this tab would follow, within the same site. */
const followedLink = (event: MouseEvent): string | undefined => {
  if (event.defaultPrevented || event.button !== 0) return undefined;
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return undefined;
  const link = event.composedPath().find((element) => element instanceof HTMLAnchorElement);
  if (link === undefined || link.target !== "" || link.hasAttribute("download") || link.origin !== location.origin)
    return undefined;
  return link.pathname === location.pathname ? undefined : link.pathname + link.search + link.hash;
};

type Props = {
  isDirty: boolean;
  /** What is lost: "Your changes of the settings". */
  what: string;
  /** Removes the changes. */
  onLeave: () => void;
};

/** Links, the back button and closing the tab ask first. A sign-in does not: drafts survive it. */
export const LeaveGuard = ({ isDirty, what, onLeave }: Props) => {
  const { route } = useLocation();
  const [leave, setLeave] = useState<() => void>();

  useEffect(() => {
    if (!isDirty) return;
    const here = location.href;
    const onClick = (event: MouseEvent): void => {
      const target = followedLink(event);
      if (target === undefined) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      setLeave(() => () => route(target));
    };
    const onBack = (event: PopStateEvent): void => {
      if (location.pathname === new URL(here).pathname) return;
      // The router must not see that the address changed. The entry that is added here is the one to go back from.
      event.stopImmediatePropagation();
      history.pushState(null, "", here);
      setLeave(() => () => history.back());
    };
    const onUnload = (event: BeforeUnloadEvent): void => {
      if (session.value.state === "signedIn") event.preventDefault();
    };
    addEventListener("click", onClick, { capture: true });
    const endIntercept = interceptBack(onBack);
    addEventListener("beforeunload", onUnload);
    return () => {
      removeEventListener("click", onClick, { capture: true });
      endIntercept();
      removeEventListener("beforeunload", onUnload);
    };
  }, [isDirty, route]);

  // The changes are gone when the guard is, and then nothing stops the way out.
  useEffect(() => {
    if (isDirty || leave === undefined) return;
    setLeave(undefined);
    leave();
  }, [isDirty, leave]);

  return isDirty && leave !== undefined ? (
    <Confirm
      title="Leave without saving?"
      confirm="Leave without saving"
      isDangerous
      onConfirm={onLeave}
      onClose={() => setLeave(undefined)}
    >
      <p>{what} are not saved. If you leave this page, they are discarded.</p>
    </Confirm>
  ) : null;
};
