/** Overview: whether the integration is well, what needs attention first, and the numbers behind it. */
import { useCaller, useMay } from "../../access.ts";
import { useFilters } from "../../address.ts";
import { useNow } from "../../clock.ts";
import { Page } from "../../parts/page.tsx";
import { Loading, ProblemNote } from "../../parts/states.tsx";
import { Activity } from "./activity.tsx";
import { AlertsCard } from "./alerts-card.tsx";
import { attentionOf, isFirstRun, verdictOf } from "./attention.ts";
import { AttentionList, VerdictLine } from "./attention-list.tsx";
import { BreakerCard, ConnectionCard, SyncCard } from "./cards.tsx";
import { FirstRun } from "./first-run.tsx";
import { periodOf } from "./periods.ts";
import { type Overview as State, useOverview } from "./use-overview.ts";

/** Drawn again each second, alone: it has times in words. */
const Verdict = ({ state: { known, isComplete } }: { state: State }) => {
  const needs = attentionOf(known, useNow());
  return (
    <>
      <VerdictLine verdict={verdictOf(needs, isComplete)} />
      <AttentionList needs={needs} />
    </>
  );
};

const Shown = ({ state }: { state: State }) => {
  const { connection, circuit, runs, security, known } = state;
  const maySeeSecurity = useMay("security:read");
  const { role } = useCaller();
  const { filters, set } = useFilters();
  if (connection !== undefined && isFirstRun(known)) return <FirstRun connection={connection} />;
  return (
    <>
      <Verdict state={state} />
      <div class="overview-cards">
        <ConnectionCard connection={connection} />
        <BreakerCard circuit={circuit} />
        <SyncCard connection={connection} runs={runs} />
        {maySeeSecurity && <AlertsCard security={security} />}
      </div>
      {maySeeSecurity ? (
        <Activity period={periodOf(filters.period)} onChoose={(period) => set({ period })} lastDay={security} />
      ) : (
        <p class="quiet">Alerts and security events are left out: the role {role} may not see them.</p>
      )}
    </>
  );
};

export const Overview = () => {
  const state = useOverview();
  const { problem, reload, connection, circuit, runs, security } = state;
  const isNothingKnown = [connection, circuit, runs, security].every((part) => part === undefined);
  return (
    <Page title="Overview">
      {problem !== undefined && (
        <ProblemNote problem={problem} onRetry={reload}>
          <p>{isNothingKnown ? "The state of the integration is not known." : "What is below may be out of date."}</p>
        </ProblemNote>
      )}
      {isNothingKnown ? (
        problem === undefined && <Loading what="the state of the integration" />
      ) : (
        <Shown state={state} />
      )}
    </Page>
  );
};
