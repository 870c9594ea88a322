/** Overview: whether the integration is well, what needs attention first, and the numbers behind it. */
import { useCaller, useMay } from "../../access.ts";
import type { Connection } from "../../api/types.ts";
import { Card, Page } from "../../parts/page.tsx";
import { Loading, ProblemNote } from "../../parts/states.tsx";
import { Badge } from "../../parts/values.tsx";
import { useFilters } from "../../words/address.ts";
import { useNow } from "../../words/clock.ts";
import { Activity } from "./activity.tsx";
import { attentionOf, isFirstRun, verdictOf } from "./attention.ts";
import { AlertsCard, BreakerCard, ConnectionCard, SyncCard } from "./cards.tsx";
import { periodOf } from "./periods.ts";
import { type Overview as State, useOverview } from "./use-overview.ts";

const words = { bad: "Act now", warn: "Look at it" } as const;

/** Drawn again each second, alone: it has times in words. Screen readers hear when the verdict changes. */
const Verdict = ({ state: { known, isComplete } }: { state: State }) => {
  const needs = attentionOf(known, useNow());
  const { tone, word, text: verdict } = verdictOf(needs, isComplete);
  return (
    <>
      <p class={`overview-verdict ${tone}`} role="status">
        <Badge tone={tone}>{word}</Badge> <b>{verdict}</b>
      </p>
      {needs.length > 0 && (
        <section class="overview-attention" aria-label="Needs attention">
          <h2>Needs attention first</h2>
          <ol>
            {needs.map((need) => (
              <li key={need.what}>
                <Badge tone={need.tone}>{words[need.tone]}</Badge>
                <span>{need.text}</span>
                <a href={need.action.href}>{need.action.text}</a>
              </li>
            ))}
          </ol>
        </section>
      )}
    </>
  );
};

/** Before the first connection there is nothing to look at. */
const FirstRun = ({ connection: { provider } }: { connection: Connection }) => (
  <Card title={`Connect ${provider.name}`}>
    <p>
      No account of {provider.name} is connected yet. After that, its customers, subscriptions, invoices and payments
      are synced, and this page shows whether all is well.
    </p>
    {useMay("connection:manage") ? (
      <p>
        <a class="button main overview-connect" href="/console/connection">
          Connect the provider
        </a>
      </p>
    ) : (
      <p>Ask an administrator of your organization to connect it.</p>
    )}
  </Card>
);

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

export const View = () => {
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
