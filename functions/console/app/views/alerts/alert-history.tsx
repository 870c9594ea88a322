import type { ComponentChildren } from "preact";
import type { AlertHistoryEntry } from "../../api/types.ts";
import { formatNumber } from "../../format.ts";
import { Level } from "../../parts/badge.tsx";
import { Time } from "../../parts/time.tsx";

const Happened = ({ entry: { change, by, count, level, assignee, text } }: { entry: AlertHistoryEntry }) => {
  const who = by === undefined ? <span class="quiet">An erased user</span> : <b>{by}</b>;
  const sentences: Record<AlertHistoryEntry["change"], () => ComponentChildren> = {
    raised: () => "Raised",
    repeated: () => `Raised again, ${formatNumber(count ?? 2)} times in all`,
    acknowledged: () => <>{who} acknowledged it</>,
    resolved: () => <>{who} resolved it</>,
    assigned: () =>
      assignee === null ? (
        <>{who} took the assignment away</>
      ) : (
        <>
          {who} assigned it to {assignee === undefined ? "an erased user" : <b>{assignee}</b>}
        </>
      ),
    commented: () => <>{who} commented</>,
  };
  return (
    <>
      {change in sentences ? sentences[change]() : change} {level !== undefined && <Level level={level} />}
      {text !== undefined && <blockquote class="alerts-comment">{text}</blockquote>}
    </>
  );
};

/** Oldest first: the comment field follows it. */
export const AlertHistory = ({ entries }: { entries: readonly AlertHistoryEntry[] }) => (
  <ol class="alerts-history">
    {entries.map((entry) => (
      <li key={`${entry.change} ${entry.at} ${entry.text ?? ""}${entry.assignee ?? ""}`}>
        <p class="quiet">
          <Time at={entry.at} />
        </p>
        <div>
          <Happened entry={entry} />
        </div>
      </li>
    ))}
  </ol>
);
