/** What a selection adds up to, and the open findings of detection. */
import { addressOf, alertAddress } from "../../address.ts";
import type { SecurityStatistics, SuspiciousActivity } from "../../api/types.ts";
import { formatDuration, formatNumber, formatShare } from "../../format.ts";
import { RelativeTime } from "../../parts/time.tsx";
import { inWords } from "../../words.ts";

const MOST_FINDINGS = 5;

const Findings = ({ of }: { of: readonly SuspiciousActivity[] }) => (
  <section class="events-findings" aria-label="Open findings">
    <h2>{of.length === 1 ? "1 open finding" : `${formatNumber(of.length)} open findings`}</h2>
    <ul>
      {of.slice(0, MOST_FINDINGS).map(({ alertId, rule, subject, lastSeen }) => (
        <li key={alertId}>
          <a href={alertAddress(alertId)}>{inWords(rule)}</a> {subject}{" "}
          <span class="quiet">
            <RelativeTime at={lastSeen} />
          </span>
        </li>
      ))}
      {of.length > MOST_FINDINGS && (
        <li>
          <a href={addressOf("/console/alerts", { status: "open" })}>All open alerts</a>
        </li>
      )}
    </ul>
  </section>
);

type SummaryProps = { stats: SecurityStatistics; findings: readonly SuspiciousActivity[] };

export const Summary = ({ stats, findings }: SummaryProps) => {
  const { totalEvents, highRiskEvents, failureRate, avgResponseTime } = stats;
  const numbers = [
    ["Events", formatNumber(totalEvents)],
    ["High risk", formatNumber(highRiskEvents)],
    ["Failed", formatShare(failureRate)],
    ["Mean response", avgResponseTime === 0 ? "–" : formatDuration(avgResponseTime)],
  ] as const;
  return (
    <>
      <dl class="events-numbers">
        {numbers.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {findings.length > 0 && <Findings of={findings} />}
    </>
  );
};
