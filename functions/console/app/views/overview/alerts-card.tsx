import type { SecurityReport } from "../../api/types.ts";
import { formatNumber } from "../../format.ts";
import { Level } from "../../parts/badge.tsx";
import { Card } from "../../parts/page.tsx";
import { Findings } from "../alerts/findings.tsx";

const LEVELS = ["CRITICAL", "HIGH", "MEDIUM", "LOW"] as const;
const MOST_FINDINGS = 4;

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
            {LEVELS.map((level) => (
              <li key={level}>
                <a href={`/console/alerts?status=open&level=${level}`}>
                  <Level level={level} /> <b>{formatNumber(counts.open[level])}</b>
                </a>
              </li>
            ))}
          </ul>
          {acknowledged > 0 && <p class="quiet">{formatNumber(acknowledged)} acknowledged, not resolved yet.</p>}
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
