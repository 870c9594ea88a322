/** What the circuit breaker refused during an opening. */
import { useState } from "preact/hooks";
import { useMay } from "../../access.ts";
import { answer, api } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { SyncRun } from "../../api/types.ts";
import { Loaded } from "../../parts/states.tsx";
import { ShortTime } from "../../parts/values.tsx";
import { addressOf, eventAddress } from "../../words/address.ts";
import { inWords, plural } from "../../words/format.ts";
import { modes, triggers } from "../syncs/run-words.ts";
import type { Opening } from "./transitions.ts";

const MOST_EVENTS = 100;

const RefusedOperations = ({ opening: { since, until } }: { opening: Opening }) => {
  const period = { since: String(since), ...(until !== undefined && { until: String(until) }) };
  const query = { eventType: "PROVIDER_REQUEST", success: "false", ...period } as const;
  const events = useResource(`circuit refused ${since} ${until ?? ""}`, async (signal) => {
    const params = { query: { ...query, limit: MOST_EVENTS } };
    const report = await answer(api.GET("/api/integrations/provider/security", { params, signal }));
    return {
      refused: report.events.filter(({ errorCode }) => errorCode === "circuit_open"),
      isMore: report.nextCursor !== undefined,
    };
  });
  return (
    <Loaded of={events} what="the refused requests">
      {({ refused, isMore }) => (
        <>
          {refused.length === 0 ? (
            <p class="quiet">No other request was refused.</p>
          ) : (
            <ul>
              {refused.map(({ id, action, timestamp }) => (
                <li key={id}>
                  <ShortTime at={timestamp} /> <a href={eventAddress(id)}>{inWords(action ?? "request")}</a>
                </li>
              ))}
            </ul>
          )}
          {isMore && (
            <p>
              <a href={addressOf("/console/events", query)}>All failed requests of this time</a>
            </p>
          )}
        </>
      )}
    </Loaded>
  );
};

const RefusedRuns = ({ runs }: { runs: readonly SyncRun[] }) => (
  <ul>
    {runs.map(({ id, startedAt, finishedAt, trigger, mode }) => (
      <li key={id}>
        <ShortTime at={finishedAt ?? startedAt} /> {modes[mode].name} sync. {triggers[trigger].text}
      </li>
    ))}
  </ul>
);

/** @param runs the runs that it refused in the opening; undefined if they are not known */
export const Refused = ({ opening, runs }: { opening: Opening; runs: readonly SyncRun[] | undefined }) => {
  const maySeeEvents = useMay("security:read");
  const [isOpen, setOpen] = useState(false);
  if (runs === undefined || (!maySeeEvents && runs.length === 0)) return null;
  return (
    <details class="breaker-refused" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{runs.length === 0 ? "What it refused" : `It refused ${plural(runs.length, "sync")}`}</summary>
      {isOpen && (
        <>
          <RefusedRuns runs={runs} />
          {maySeeEvents && <RefusedOperations opening={opening} />}
        </>
      )}
    </details>
  );
};
