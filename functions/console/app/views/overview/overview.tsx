/** Overview: whether the integration is well, what needs attention first, and the numbers behind it. */
import { useCaller, useMay } from "../../access.ts";
import { Page } from "../../parts/page.tsx";
import { Loading, ProblemNote } from "../../parts/states.tsx";
import { Badge } from "../../parts/values.tsx";
import { useFilters } from "../../words/address.ts";
import { useNow } from "../../words/clock.ts";
import { Unreviewed } from "../reports/unreviewed.tsx";
import { Activity } from "./activity.tsx";
import { attentionOf, isFirstRun, sentenceOf, verdictOf } from "./attention.ts";
import { AlertsCard, BreakerCard, ConnectionCard, SyncCard } from "./cards.tsx";
import { FirstRun } from "./first-run.tsx";
import type { Attention } from "./known.ts";
import { MoneyCard } from "./money.tsx";
import { periodOf } from "./periods.ts";
import { SinceCard } from "./since-card.tsx";
import { StepsCard } from "./steps-card.tsx";
import { type Overview as State, useOverview } from "./use-overview.ts";

const words = { bad: "Act now", warn: "Look at it" } as const;

const Link = ({ to: { href, text } }: { to: Attention["action"] }) => <a href={href}>{text}</a>;

const NARROW = "(max-width: 40rem)";

/**
 * What needs attention after the first thing. On a phone the list is folded, and its line has its place before it is known: the
 * parts below would move out of view when the list comes.
 */
const Others = ({ others }: { others: readonly Attention[] }) => {
  const isNarrow = matchMedia(NARROW).matches;
  if (others.length === 0) return isNarrow ? <div class="overview-attention" /> : null;
  const list = (
    <ol>
      {others.map((need) => (
        <li key={need.what}>
          <Badge tone={need.tone}>{words[need.tone]}</Badge>
          <span>
            <b>{sentenceOf(need.what)}</b> {need.text}
          </span>
          <Link to={need.action} />
        </li>
      ))}
    </ol>
  );
  return (
    <section class="overview-attention" aria-label="Needs attention">
      {isNarrow ? (
        <details>
          <summary>Also needs attention: {others.length}</summary>
          {list}
        </details>
      ) : (
        <>
          <h2>Also needs attention</h2>
          {list}
        </>
      )}
    </section>
  );
};

/** Drawn again each second, alone: it has times in words. Screen readers hear when the verdict changes. */
const Verdict = ({ state: { known, isComplete } }: { state: State }) => {
  const { role } = useCaller();
  const blindRole = useMay("security:read") ? undefined : role;
  const [first, ...others] = attentionOf(known, useNow());
  const needs = first === undefined ? [] : [first, ...others];
  const { tone, word, text: verdict } = verdictOf(needs, { isComplete, blindRole });
  return (
    <>
      <div class={`overview-verdict ${tone}`}>
        <p role="status">
          <Badge tone={tone}>{word}</Badge> <b>{verdict}</b>
        </p>
        {first !== undefined && (
          <p>
            {first.text} <Link to={first.action} />
          </p>
        )}
      </div>
      <Others others={others} />
    </>
  );
};

const Shown = ({ state }: { state: State }) => {
  const { connection, circuit, runs, security, known } = state;
  const maySeeSecurity = useMay("security:read");
  const { filters, set } = useFilters();
  if (connection !== undefined && isFirstRun(known)) return <FirstRun state={state} connection={connection} />;
  return (
    <>
      <Verdict state={state} />
      {maySeeSecurity && <SinceCard known={known} />}
      {connection !== undefined && <StepsCard connection={connection} destinations={known.destinations} />}
      <div class="overview-cards">
        <ConnectionCard connection={connection} />
        <BreakerCard circuit={circuit} />
        <SyncCard connection={connection} runs={runs} />
        {maySeeSecurity && <AlertsCard security={security} />}
      </div>
      {maySeeSecurity && <Unreviewed />}
      {maySeeSecurity && (
        <Activity period={periodOf(filters.period)} onChoose={(period) => set({ period })} lastDay={security} />
      )}
      <MoneyCard />
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
      {/* A new organization has its first steps above the other parts, which would move when the connection is known. */}
      {problem === undefined && connection === undefined && <Loading what="the state of the integration" />}
      {(connection !== undefined || (problem !== undefined && !isNothingKnown)) && <Shown state={state} />}
    </Page>
  );
};
