import type { ComponentChildren } from "preact";
import type { AlertHistoryEntry } from "../../api/types.ts";
import { Timeline, TimelineEntry } from "../../parts/timeline.tsx";
import { Level } from "../../parts/values.tsx";
import { formatNumber } from "../../words/format.ts";
import { causeNames } from "./words.ts";

/** A change of an alert, in a sentence. */
export const Happened = ({ entry: { change, by, count, level, assignee, cause } }: { entry: AlertHistoryEntry }) => {
  const who = by === undefined ? <span class="quiet">An erased user</span> : <b>{by}</b>;
  const sentences: Record<AlertHistoryEntry["change"], () => ComponentChildren> = {
    raised: () => "Raised",
    repeated: () => `Raised again, ${formatNumber(count ?? 2)} times in all`,
    acknowledged: () => <>{who} acknowledged it</>,
    // The service resolves alerts whose cause is gone, and names nobody either.
    resolved: () =>
      by === undefined ? (
        "Resolved by the service, or by an erased user"
      ) : (
        <>
          {who} resolved it{cause !== undefined && `: ${causeNames[cause].toLowerCase()}`}
        </>
      ),
    reopened: () => <>{who} opened it again</>,
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
    </>
  );
};

/** Oldest first: the comment field follows it. */
export const AlertHistory = ({ entries }: { entries: readonly AlertHistoryEntry[] }) => (
  <Timeline label="History of the alert">
    {entries.map((entry) => (
      <TimelineEntry
        key={`${entry.change} ${entry.at} ${entry.text ?? ""}${entry.assignee ?? ""}`}
        at={entry.at}
        what={<Happened entry={entry} />}
      >
        {entry.text !== undefined && <blockquote class="alerts-comment">{entry.text}</blockquote>}
      </TimelineEntry>
    ))}
  </Timeline>
);
