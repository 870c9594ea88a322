/** What a view shows in place of its content: loading, nothing, an error, a missing permission. */
import type { ComponentChildren } from "preact";
import { type Permission, useCaller } from "../access.ts";
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

const REASONS: Record<Permission, string> = {
  "records:read": "read the provider's records",
  "status:read": "see the state of the integration",
  "connection:manage": "connect or disconnect the provider",
  "sync:run": "start a sync",
  "security:read": "see security events, alerts and reports",
  "security:manage": "change alerts",
  "breaker:control": "hold the circuit breaker",
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
      {problem !== undefined && <ProblemNote problem={problem} onRetry={reload} />}
      {value === undefined
        ? problem === undefined && <Loading what={what} />
        : isEmpty?.(value)
          ? empty
          : children(value)}
    </>
  );
};
