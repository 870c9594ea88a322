/** What a selection adds up to, and the open findings of detection. */

import type { SecurityStatistics, SuspiciousActivity } from "../../api/types.ts";
import { Columns } from "../../parts/columns.tsx";
import { addressOf } from "../../words/address.ts";
import { serviceNow } from "../../words/clock.ts";
import { formatDuration, formatNumber, formatShare, plural } from "../../words/format.ts";
import { chartTitle, columnsOf, type Interval } from "../../words/intervals.ts";
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

type SummaryProps = {
  stats: SecurityStatistics;
  findings: readonly SuspiciousActivity[];
  /** Of the chart; undefined if the selection has none. */
  interval: Interval | undefined;
};

export const Summary = ({ stats, findings, interval }: SummaryProps) => {
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
      {interval !== undefined && totalEvents > 0 && (
        <Columns
          title={chartTitle(interval)}
          columns={columnsOf(stats.intervals, interval, serviceNow())}
          totalName="Events"
          badName="Failed"
        />
      )}
      {findings.length > 0 && <OpenFindings of={findings} />}
    </>
  );
};
