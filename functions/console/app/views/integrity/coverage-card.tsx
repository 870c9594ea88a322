/** Whether the events of a month are complete, as sums: one line if they are, and the days that are not. */
import { answer, api } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { Coverage, CoveredDay } from "../../api/types.ts";
import { Choice } from "../../parts/field.tsx";
import { Card } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Badge } from "../../parts/values.tsx";
import { addressOf } from "../../words/address.ts";
import { serviceNow } from "../../words/clock.ts";
import { formatNumber, language } from "../../words/format.ts";
import { periodOf } from "../reports/periods.ts";
import { monthsUntil, unequalDays, unjudgedInWords, verdictOfMonth } from "./coverage-words.ts";

const sum = (head: string, of: (day: CoveredDay) => number | undefined): Column<CoveredDay> => ({
  head,
  isNumber: true,
  cell: (day) => {
    const number = of(day);
    return number !== undefined && formatNumber(number);
  },
});

const columns: readonly Column<CoveredDay>[] = [
  { head: "Day (UTC)", isHead: true, cell: ({ day }) => day },
  sum("Recorded", ({ recorded }) => recorded),
  sum("Counted", ({ counted }) => counted),
  sum("Sealed", ({ sealed }) => sealed),
  sum("Archived", ({ archived }) => archived),
  sum("In the feed", ({ fed }) => fed),
];

const Month = ({ coverage }: { coverage: Coverage }) => {
  const { tone, word, text } = verdictOfMonth(coverage);
  const days = unequalDays(coverage);
  const unjudged = unjudgedInWords(coverage);
  return (
    <>
      <p role="status">
        <Badge tone={tone}>{word}</Badge> {text}
      </p>
      {unjudged !== undefined && <p>{unjudged}</p>}
      {days.length > 0 && (
        <Table label="Days that are not whole" class="rows" rows={days} keyOf={({ day }) => day} columns={columns} />
      )}
      {!coverage.isWhole && (
        <p>
          <a href={addressOf("/console/alerts", { rule: "evidence_incomplete" })}>The alerts name the first hour</a>
        </p>
      )}
    </>
  );
};

type Props = { month: string | undefined; onChoose: (month: string) => void };

export const CoverageCard = ({ month: chosen, onChoose }: Props) => {
  const months = monthsUntil(serviceNow());
  const month = chosen ?? months[0] ?? "";
  const coverage = useResource(`coverage ${month}`, (signal) =>
    answer(api.GET("/api/integrations/provider/security/coverage", { params: { query: { month } }, signal })),
  );
  const nameOf = (one: string): string => periodOf({ kind: "month", from: Date.parse(`${one}-01`), to: 0 }, language);
  return (
    <Card title="Coverage" note="Each event that was recorded must be counted, sealed and archived. Summed each night.">
      <div class="filters">
        <Choice
          label="Month"
          value={month}
          options={months.map((one) => [one, nameOf(one)] as const)}
          onChoose={onChoose}
        />
      </div>
      <Loaded of={coverage} what="the sums">
        {(found) => <Month coverage={found} />}
      </Loaded>
    </Card>
  );
};
