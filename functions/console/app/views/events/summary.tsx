/** What a selection adds up to, and the open findings of detection. */

import type { SecurityStatistics, SuspiciousActivity } from "../../api/types.ts";
import { addressOf } from "../../words/address.ts";
import { formatDuration, formatNumber, formatShare, plural } from "../../words/format.ts";
import { Findings } from "../alerts/findings.tsx";

const MOST_FINDINGS = 5;

const OpenFindings = ({ of }: { of: readonly SuspiciousActivity[] }) => (
  <section class="events-findings" aria-label="Open findings">
    <h2>{plural(of.length, "open finding")}</h2>
    <ul>
      <Findings of={of.slice(0, MOST_FINDINGS)} />
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
      {findings.length > 0 && <OpenFindings of={findings} />}
    </>
  );
};
