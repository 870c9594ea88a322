/** Counts of payments, refunds and disputes by day, beside what the weeks before make expected. They are no accounts. */
import { useMayRead } from "../../access.ts";
import { answer, api } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { MoneyDay } from "../../api/types.ts";
import { Columns } from "../../parts/columns.tsx";
import { Card } from "../../parts/page.tsx";
import { ProblemNote } from "../../parts/states.tsx";
import { formatNumber, formatUtcDay } from "../../words/format.ts";

const EVERY_MS = 5 * 60_000;
const DAYS = "14";

const expectedOf = (value: number | null): string => (value === null ? "–" : formatNumber(value));

const Shown = ({ days }: { days: readonly MoneyDay[] }) => {
  const [today] = days;
  if (today === undefined) return null;
  const numbers = [
    ["Failed payments today", today.payments.failed, today.expected.failed],
    ["Refunds today", today.refunds.count, today.expected.refunds],
    ["Disputes today", today.disputes, undefined],
    ["Fraud warnings today", today.warnings, undefined],
  ] as const;
  return (
    <>
      <dl class="overview-numbers">
        {numbers.map(([name, value, expected]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <b>{formatNumber(value)}</b>
              {expected !== undefined && <span class="quiet">expected a day: {expectedOf(expected)}</span>}
            </dd>
          </div>
        ))}
      </dl>
      <Columns
        title="Payments by day (UTC)"
        columns={days.toReversed().map(({ day, payments, refunds, disputes, warnings, expected }) => {
          const label = formatUtcDay(Date.parse(day));
          return {
            name: label,
            label,
            total: payments.succeeded + payments.failed,
            bad: payments.failed,
            more: [
              expectedOf(expected.failed),
              formatNumber(refunds.count),
              expectedOf(expected.refunds),
              formatNumber(disputes),
              formatNumber(warnings),
            ],
          };
        })}
        totalName="Payments"
        badName="Failed"
        moreNames={["Failed, expected", "Refunds", "Refunds, expected", "Disputes", "Fraud warnings"]}
      />
    </>
  );
};

/** Only for roles that may read payments. */
export const MoneyCard = () => {
  const mayRead = useMayRead("payments");
  const { value, problem, reload } = useResource<readonly MoneyDay[] | null>(
    mayRead ? "overview money" : "no money",
    async (signal) =>
      mayRead
        ? answer(api.GET("/api/integrations/provider/money", { params: { query: { days: DAYS } }, signal }))
        : null,
    mayRead ? { everyMs: EVERY_MS } : {},
  );
  if (!mayRead) return null;
  return (
    <Card title={`Money in ${DAYS} days`}>
      {problem !== undefined && <ProblemNote problem={problem} onRetry={reload} />}
      {value ? <Shown days={value} /> : <p class="quiet">Loading the counts …</p>}
    </Card>
  );
};
