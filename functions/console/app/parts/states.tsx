/** What a view shows in place of its content: loading, nothing, an error, a missing permission. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type Permission, useCaller } from "../access.ts";
import type { LiveList } from "../api/live-list.ts";
import type { PagedList } from "../api/paged-list.ts";
import type { Problem } from "../api/problem.ts";
import type { Resource } from "../api/resource.ts";
import { Button } from "./button.tsx";

export const Loading = ({ what }: { what: string }) => (
  <p class="state" role="status">
    Loading {what} …
  </p>
);

/** @param children what the user can do, or when something will be here. */
export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="state">
    <p class="state-title">{title}</p>
    {children}
  </div>
);

type ProblemNoteProps = {
  problem: Problem;
  onRetry?: (() => void) | undefined;
  /** What the user can do about it. */
  children?: ComponentChildren;
};

/** An error with the id to quote. Beside old content it says that the content is old. */
export const ProblemNote = ({ problem, onRetry, children }: ProblemNoteProps) => (
  <div class="problem" role="alert">
    <p>{problem.message}</p>
    {children}
    {problem.retryAfterS !== undefined && <p>It may work again in {problem.retryAfterS} seconds.</p>}
    {problem.requestId !== undefined && (
      <p class="quiet">
        Quote this request id when you ask for help: <code>{problem.requestId}</code>
      </p>
    )}
    {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
  </div>
);

/** An error above old content. It stays in view while the user scrolls: what is below it is not new. */
export const RefreshProblem = ({ problem, onRetry }: { problem: Problem; onRetry: () => void }) => (
  <div class="refresh-problem">
    <ProblemNote problem={problem} onRetry={onRetry} />
  </div>
);

export type Help = { href: string; text: string; needs: Permission };

/** A link to the view that helps, for users who may open it. */
export const HelpLink = ({ to }: { to: Help | undefined }) =>
  to !== undefined && useCaller().permissions.includes(to.needs) ? (
    <p>
      <a href={to.href}>{to.text}</a>
    </p>
  ) : null;

/** In place of a button that the role may not use. */
export const WhyMissing = ({ needs }: { needs: Permission }) => {
  const { role, permissions } = useCaller();
  return permissions.includes(needs) ? null : (
    <p class="quiet">
      The role {role} may not {REASONS[needs]}. An administrator can give you another role.
    </p>
  );
};

const REASONS: Record<Permission, string> = {
  "records:read": "read the provider's records",
  "status:read": "see the state of the integration",
  "connection:manage": "connect or disconnect the provider",
  "sync:run": "start a sync or replay a delivery",
  "security:read": "see security events, alerts and reports",
  "security:manage": "change alerts",
  "breaker:control": "stop the integration or reset the circuit breaker",
  "settings:manage": "see and change the settings",
  "erasure:request": "request an erasure",
};

export const NotAllowed = ({ needs }: { needs: Permission }) => {
  const { role, organizationId, roleNote } = useCaller();
  return (
    <div class="state">
      <p class="state-title">Your role does not allow this</p>
      <p>
        The role <b>{role}</b> in <b>{organizationId}</b> may not {REASONS[needs]}. An administrator of the organization
        can give you another role (permission <code>{needs}</code>).
      </p>
      {roleNote !== undefined && <p class="quiet">{roleNote}</p>}
    </div>
  );
};

type LoadedProps<Value> = {
  of: Pick<Resource<Value>, "value" | "problem" | "reload">;
  /** What is loaded, in the plural: "alerts". */
  what: string;
  isEmpty?: (value: Value) => boolean;
  empty?: ComponentChildren;
  children: (value: Value) => ComponentChildren;
};

/** The value of a resource, or the state in its place. A failed refresh leaves the old value below the error. */
export const Loaded = <Value,>({ of, what, isEmpty, empty, children }: LoadedProps<Value>) => {
  const { value, problem, reload } = of;
  return (
    <>
      {problem !== undefined &&
        (value === undefined ? (
          <ProblemNote problem={problem} onRetry={reload} />
        ) : (
          <RefreshProblem problem={problem} onRetry={reload} />
        ))}
      {value === undefined
        ? problem === undefined && <Loading what={what} />
        : isEmpty?.(value)
          ? empty
          : children(value)}
    </>
  );
};

type LoadMoreProps = {
  list: {
    /** For each list of items: it changes when a page was read. */
    pages: readonly (readonly unknown[])[];
    problem: Problem | undefined;
    isLoading: boolean;
    hasMore: boolean;
    more(): void;
  };
  what: string;
};

/** Reads the next page when the user scrolls near the end, or asks for it. */
export const LoadMore = ({ list, what }: LoadMoreProps) => {
  const end = useRef<HTMLDivElement>(null);
  const more = useRef(list.more);
  more.current = list.more;
  useEffect(() => {
    if (end.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) more.current();
      },
      { rootMargin: "400px" },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
    // A page that does not fill the screen is followed by the next one.
  }, [list.pages.length, list.hasMore]);
  const count = list.pages.reduce((sum, { length }) => sum + length, 0);
  return (
    <div class="more" ref={end}>
      {list.problem !== undefined && list.pages.length > 0 && (
        <ProblemNote problem={list.problem} onRetry={list.more} />
      )}
      {list.hasMore ? (
        <Button onClick={list.more} isRunning={list.isLoading}>
          {list.isLoading ? `Loading more ${what} …` : `Load more ${what}`}
        </Button>
      ) : (
        count > 0 && <p class="quiet">No more {what}.</p>
      )}
    </div>
  );
};

type ItemsProps<List, Item> = {
  of: List;
  /** What is listed, in the plural: "alerts". */
  what: string;
  /** What is loaded at first, if it has another name. */
  whole?: string;
  empty: ComponentChildren;
  children: (items: readonly Item[]) => ComponentChildren;
};

/** The items of a list whose newest ones are read again, or the state in their place. */
export const LiveItems = <Item,>({ of, what, whole = what, empty, children }: ItemsProps<LiveList<Item>, Item>) => (
  <Loaded of={of} what={whole} isEmpty={({ length }) => length === 0 && !of.older.hasMore} empty={empty}>
    {(items) => (
      <>
        {items.length > 0 && children(items)}
        <LoadMore list={of.older} what={what} />
      </>
    )}
  </Loaded>
);

/** The items of a list that is read page by page, or the state in their place. */
export const Pages = <Item,>({ of, what, whole = what, empty, children }: ItemsProps<PagedList<Item>, Item>) => {
  const { pages, problem, hasMore, reload } = of;
  if (pages.length === 0)
    return problem === undefined ? <Loading what={whole} /> : <ProblemNote problem={problem} onRetry={reload} />;
  const items = pages.flat();
  if (items.length === 0 && !hasMore) return <>{empty}</>;
  return (
    <>
      {problem !== undefined && <RefreshProblem problem={problem} onRetry={reload} />}
      {items.length > 0 && children(items)}
      <LoadMore list={{ ...of, problem: of.moreProblem }} what={what} />
    </>
  );
};
