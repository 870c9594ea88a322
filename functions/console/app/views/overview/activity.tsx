/** Events, failures and latency of a period, compared with the period before. */
import { useCaller } from "../../access.ts";
import { answer, api } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { SecurityReport } from "../../api/types.ts";
import { Columns } from "../../parts/columns.tsx";
import { Card, PeriodSwitch } from "../../parts/page.tsx";
import { ProblemNote } from "../../parts/states.tsx";
import { Level, RelativeTime } from "../../parts/values.tsx";
import { eventAddress } from "../../words/address.ts";
import { serviceNow } from "../../words/clock.ts";
import { formatNumber, inWords } from "../../words/format.ts";
import { chartTitle, columnsOf } from "../../words/intervals.ts";
import { DEFAULT_PERIOD, hasEarlierData, isKept, numbersOf, type Period, periods } from "./periods.ts";

/** Longer periods and the periods before change slowly. */
const EVERY_MS = 5 * 60_000;

const read = (query: { since: number; until?: number; interval?: "day" }, signal: AbortSignal) => {
  const { since, until, interval } = query;
  const period = { since: String(Math.round(since)), ...(until !== undefined && { until: String(Math.round(until)) }) };
  const params = { query: { ...period, ...(interval !== undefined && { interval }), limit: 1 } };
  return answer(api.GET("/api/integrations/provider/security", { params, signal }));
};

type ActivityProps = {
  period: Period;
  onChoose: (period: Period | undefined) => void;
  /** The last 24 hours, which are read anyway. */
  lastDay: SecurityReport | undefined;
};

/** The statistics of a longer period; undefined for the last 24 hours. */
const useLongerPeriod = (period: Period) =>
  useResource<SecurityReport | null>(
    `overview ${period}`,
    async (signal) =>
      period === DEFAULT_PERIOD ? null : read({ since: serviceNow() - periods[period].ms, interval: "day" }, signal),
    period === DEFAULT_PERIOD ? {} : { everyMs: EVERY_MS },
  );

/** The statistics of the period before; null if its events are not kept. */
const usePeriodBefore = (period: Period, retentionDays: number) => {
  const isThere = hasEarlierData(period, retentionDays);
  return useResource<SecurityReport | null>(
    `overview before ${period}`,
    async (signal) => {
      const until = serviceNow() - periods[period].ms;
      return isThere ? read({ since: until - periods[period].ms, until }, signal) : null;
    },
    isThere ? { everyMs: EVERY_MS } : {},
  );
};

const NewestHighRisk = ({ events }: { events: SecurityReport["highRiskEvents"] }) =>
  events.length === 0 ? null : (
    <section class="overview-events" aria-label="Newest events of high risk">
      <h3>Newest events of high risk, in 24 hours</h3>
      <ul>
        {events.map(({ id, eventType, riskLevel, timestamp, userId }) => (
          <li key={id}>
            <Level level={riskLevel} /> <a href={eventAddress(id)}>{inWords(eventType)}</a>
            {userId !== undefined && ` by ${userId}`}{" "}
            <span class="quiet">
              <RelativeTime at={timestamp} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );

export const Activity = ({ period, onChoose, lastDay }: ActivityProps) => {
  const { retentionDays } = useCaller().deployment;
  const longer = useLongerPeriod(period);
  const before = usePeriodBefore(period, retentionDays);
  const stats = (period === DEFAULT_PERIOD ? lastDay : longer.value)?.stats;
  const { label } = periods[period];
  const numbers = stats && numbersOf(stats, before.value?.stats, hasEarlierData(period, retentionDays));
  const problem = longer.problem ?? before.problem;
  return (
    <Card
      title={`Activity in ${label}`}
      actions={
        <PeriodSwitch
          periods={periods}
          chosen={period}
          onChoose={(name) => onChoose(name === DEFAULT_PERIOD ? undefined : name)}
        />
      }
    >
      {problem !== undefined && (
        <ProblemNote problem={problem} onRetry={() => (longer.problem ? longer : before).reload()} />
      )}
      {numbers === undefined || stats === undefined ? (
        <p class="quiet overview-activity">Loading the activity …</p>
      ) : (
        <div class="overview-activity">
          <dl class="overview-numbers">
            {numbers.map(({ name, value, change }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <b>{value}</b>
                  <span class="quiet">{change ?? "…"}</span>
                </dd>
              </div>
            ))}
          </dl>
          {!isKept(period, retentionDays) && (
            <p class="quiet">Events are kept for {formatNumber(retentionDays)} days. Older ones are not counted.</p>
          )}
          <Columns
            title={chartTitle(periods[period].interval)}
            columns={columnsOf(stats.intervals, periods[period].interval, serviceNow())}
            totalName="Events"
            badName="Failed"
          />
          <NewestHighRisk events={lastDay?.highRiskEvents ?? []} />
          <p class="overview-events">
            <a href={`/console/events?period=${period}`}>Open Events</a>
          </p>
        </div>
      )}
    </Card>
  );
};
