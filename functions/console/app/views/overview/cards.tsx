/** The state of the connection, the circuit breaker and the syncs. */
import type { ComponentChildren } from "preact";
import { useCaller, useMay } from "../../access.ts";
import type { Connection, OrganizationStats, SecurityReport, SyncRun } from "../../api/types.ts";
import { Card, Facts } from "../../parts/page.tsx";
import { Badge, Countdown, Level, RelativeTime } from "../../parts/values.tsx";
import { useNow } from "../../words/clock.ts";
import {
  everyHours,
  formatDuration,
  formatMinute,
  formatNumber,
  formatShare,
  inWords,
  plural,
} from "../../words/format.ts";
import { levels } from "../../words/levels.ts";
import { Findings } from "../alerts/findings.tsx";
import { BREAKER_PATH, STOP_PATH, stateOf, stateSentence, stateWords } from "../circuit-breaker/state-words.ts";
import { statusOf } from "../connection/connection-words.ts";
import { advice, lastedInWords, modes, readInAll, statuses } from "../syncs/run-words.ts";
import { nextJudgement } from "./open-alerts.ts";

type OverviewCardProps = { title: string; link: { href: string; text: string }; children: ComponentChildren };

const OverviewCard = ({ title, link, children }: OverviewCardProps) => (
  <Card title={title} actions={<a href={link.href}>{link.text}</a>}>
    {children}
  </Card>
);

const NotKnown = () => <p class="quiet">Not known yet.</p>;

export const ConnectionCard = ({ connection }: { connection: Connection | undefined }) => {
  const link = { href: "/console/connection", text: "Details" };
  if (connection === undefined)
    return (
      <OverviewCard title="Connection" link={link}>
        <NotKnown />
      </OverviewCard>
    );
  const { status, provider, accountId, connectedAt, method } = connection;
  const [tone, word] = statusOf(connection);
  return (
    <OverviewCard title="Connection" link={link}>
      <p>
        <Badge tone={tone}>{word}</Badge>
      </p>
      <Facts
        of={[
          ["Provider", provider.name],
          ["Account", accountId && <code>{accountId}</code>],
          ["Method", method && (method === "oauth" ? "OAuth" : "API key")],
          ["Since", status === "connected" && connectedAt ? <RelativeTime at={connectedAt} /> : undefined],
        ]}
      />
    </OverviewCard>
  );
};

/** Since when, until when, and by whom. */
const CircuitFacts = ({ circuit }: { circuit: OrganizationStats }) => {
  const { userId } = useCaller();
  const { forced, state, retryAt, until, changedAt, changedBy, reason, failureRate, rejectedRequests } = circuit;
  return (
    <Facts
      of={[
        ["Next try in", state === "open" && retryAt !== null ? <Countdown to={retryAt}>now</Countdown> : undefined],
        ["Ends in", forced && until !== null ? <Countdown to={until}>now</Countdown> : undefined],
        ["By", forced && changedBy !== null ? (changedBy === userId ? "You" : changedBy) : undefined],
        ["Reason", forced ? (reason ?? undefined) : undefined],
        ["Since", changedAt !== null ? <RelativeTime at={changedAt} /> : undefined],
        ["Requests", `${formatShare(failureRate)} failed, ${formatNumber(rejectedRequests)} refused`],
      ]}
    />
  );
};

export const BreakerCard = ({ circuit }: { circuit: OrganizationStats | undefined }) => {
  const now = useNow();
  const mayControl = useMay("breaker:control");
  const link = { href: BREAKER_PATH, text: "Details" };
  if (circuit === undefined)
    return (
      <OverviewCard title="Circuit breaker" link={link}>
        <NotKnown />
        {mayControl && <a href={STOP_PATH}>Stop the integration</a>}
      </OverviewCard>
    );
  const state = stateOf(circuit);
  const [tone, word] = stateWords[state];
  return (
    <OverviewCard title="Circuit breaker" link={link}>
      <p>
        <Badge tone={tone}>{word}</Badge> {stateSentence(circuit, now)}
      </p>
      <CircuitFacts circuit={circuit} />
      {mayControl && (
        <p class="overview-action">
          {state === "forced_open" ? (
            <a href={`${BREAKER_PATH}?action=reset`}>Start the integration again</a>
          ) : (
            <a href={STOP_PATH}>Stop the integration</a>
          )}
        </p>
      )}
    </OverviewCard>
  );
};

const LastRun = ({ run }: { run: SyncRun }) => {
  const { status, startedAt, finishedAt, mode, error } = run;
  const { tone, name } = statuses[status];
  return (
    <p>
      <Badge tone={tone}>{name}</Badge> <RelativeTime at={finishedAt ?? startedAt} />, {modes[mode].name.toLowerCase()},
      took {lastedInWords(run, useNow())}. {error !== undefined && advice[error.category].why}
    </p>
  );
};

type SyncCardProps = { connection: Connection | undefined; runs: readonly SyncRun[] | undefined };

export const SyncCard = ({ connection, runs }: SyncCardProps) => {
  const now = useNow();
  const running = runs?.find(({ status }) => status === "running");
  const last = runs?.find(({ status }) => status !== "running");
  const isConnected = connection?.status === "connected";
  const { lastSyncAt, nextSyncAt, syncIntervalHours } = connection ?? {};
  return (
    <OverviewCard title="Sync" link={{ href: "/console/syncs", text: "All syncs" }}>
      {runs === undefined ? (
        <NotKnown />
      ) : running !== undefined ? (
        <p>
          <Badge tone="accent">Running</Badge> for {formatDuration(Math.max(1_000, now - running.startedAt))},{" "}
          {plural(readInAll(running), "object")} read so far.
        </p>
      ) : last === undefined ? (
        <p class="quiet">No sync has run yet.</p>
      ) : (
        <LastRun run={last} />
      )}
      <Facts
        of={[
          ["Last success", lastSyncAt ? <RelativeTime at={lastSyncAt} /> : connection && "None yet"],
          [
            "Next",
            isConnected && nextSyncAt !== undefined ? (
              nextSyncAt > now ? (
                <RelativeTime at={nextSyncAt} isDue />
              ) : (
                "Due now"
              )
            ) : isConnected ? (
              "Not known"
            ) : (
              connection && "None: not connected"
            ),
          ],
          ["Schedule", syncIntervalHours && inWords(everyHours(syncIntervalHours))],
        ]}
      />
    </OverviewCard>
  );
};

const MOST_FINDINGS = 4;

/** Single events raise alerts at once; patterns of many wait for the end of the hour. */
const NextJudgement = () => {
  const now = useNow();
  const at = nextJudgement(now);
  return (
    <p class="quiet">
      Patterns over an hour are judged next at {formatMinute(at, now)} (<RelativeTime at={at} isDue />
      ).
    </p>
  );
};

/** Open alerts by level, and the findings of detection among them. */
export const AlertsCard = ({ security }: { security: SecurityReport | undefined }) => {
  const counts = security?.alertCounts;
  const findings = security?.suspiciousActivity ?? [];
  const acknowledged = Object.values(counts?.acknowledged ?? {}).reduce((sum, count) => sum + count, 0);
  return (
    <Card title="Open alerts" actions={<a href="/console/alerts">All alerts</a>}>
      {counts === undefined ? (
        <p class="quiet">Not known yet.</p>
      ) : (
        <>
          <ul class="overview-levels">
            {levels.map((level) => (
              <li key={level}>
                <a href={`/console/alerts?status=open&level=${level}`}>
                  <Level level={level} /> <b>{formatNumber(counts.open[level])}</b>
                </a>
              </li>
            ))}
          </ul>
          {acknowledged > 0 && <p class="quiet">{formatNumber(acknowledged)} acknowledged, not resolved yet.</p>}
          <NextJudgement />
          {counts.partial && <p class="quiet">There are more: only 1,000 unresolved alerts were counted.</p>}
        </>
      )}
      {findings.length > 0 && (
        <ul class="overview-findings">
          <Findings of={findings.slice(0, MOST_FINDINGS)} />
        </ul>
      )}
    </Card>
  );
};
