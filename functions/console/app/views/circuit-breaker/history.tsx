/** The transitions of the circuit breaker, the newest first. */
import { useCaller } from "../../access.ts";
import { answer, api } from "../../api/client.ts";
import type { PagedList } from "../../api/paged-list.ts";
import { useResource } from "../../api/resource.ts";
import type { CircuitTransition, OrganizationStats } from "../../api/types.ts";
import { Card } from "../../parts/page.tsx";
import { Empty, Pages } from "../../parts/states.tsx";
import { Timeline, TimelineEntry } from "../../parts/timeline.tsx";
import { useNow } from "../../words/clock.ts";
import { Refused } from "./refused.tsx";
import { lastedSentence, openingsOf, refusedRuns, transitionSentence, transitionTone } from "./transitions.ts";

const RUNS = 100;
const EVERY_MS = 60_000;

const Entries = ({
  transitions,
  circuit,
}: {
  transitions: readonly CircuitTransition[];
  circuit: OrganizationStats;
}) => {
  const { userId } = useCaller();
  const now = useNow();
  const runs = useResource(
    "circuit runs",
    (signal) => answer(api.GET("/api/integrations/provider/sync", { params: { query: { limit: RUNS } }, signal })),
    { everyMs: EVERY_MS },
  ).value;
  const openings = openingsOf(transitions);
  return (
    <Timeline label="History of the circuit breaker">
      {transitions.map((transition, index) => {
        const opening = openings.get(transition.id);
        return (
          <TimelineEntry
            key={transition.id}
            at={transition.at}
            tone={transitionTone(transition)}
            what={transitionSentence(transition, userId)}
            note={lastedSentence(transition, transitions[index - 1], circuit, now)}
          >
            {transition.reason !== undefined && <p>Reason: {transition.reason}</p>}
            {opening !== undefined && <Refused opening={opening} runs={runs && refusedRuns(runs, opening)} />}
          </TimelineEntry>
        );
      })}
    </Timeline>
  );
};

type Props = { list: PagedList<CircuitTransition>; circuit: OrganizationStats };

export const History = ({ list, circuit }: Props) => {
  const { deployment } = useCaller();
  return (
    <Card title="History">
      {deployment.securityLogLevel !== "LOW" && (
        <p class="quiet">This deployment does not record all levels of events, so some changes may be missing here.</p>
      )}
      <Pages
        of={list}
        what="changes"
        whole="the history"
        empty={
          <Empty title="The circuit breaker has never changed.">
            <p>
              When requests to the provider fail, or an administrator holds it, each change appears here with its
              reason.
            </p>
          </Empty>
        }
      >
        {(transitions) => <Entries transitions={transitions} circuit={circuit} />}
      </Pages>
    </Card>
  );
};
