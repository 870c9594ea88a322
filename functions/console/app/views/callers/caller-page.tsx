/** The page of a user, or of an address: first and last seen, what they did, what was refused, the alerts about them. */
import type { ComponentChildren } from "preact";
import type { Alert, SecurityEvent } from "../../api/types.ts";
import { Columns } from "../../parts/columns.tsx";
import { Card, Facts, Page } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Badge, DrillBadge, Level, RelativeTime, ShortTime, TimeAndAge } from "../../parts/values.tsx";
import { addressOf, alertAddress, callerAddress, eventAddress } from "../../words/address.ts";
import { serviceNow } from "../../words/clock.ts";
import { formatNumber, formatShare, formatUtcDay, inWords, plural } from "../../words/format.ts";
import { chartTitle, columnsOf } from "../../words/intervals.ts";
import { Status } from "../alerts/table.tsx";
import { type Caller, countsOf, daysSinceFirst } from "./caller-facts.ts";
import { type CallerReport, useAlertsAbout, useCallerReport, usePeriodDays, useRefusals } from "./use-caller-page.ts";

const eventColumns: readonly Column<SecurityEvent>[] = [
  {
    head: "Event",
    isHead: true,
    cell: (event) => (
      <>
        <a href={eventAddress(event.id)}>{inWords(event.eventType)}</a> <DrillBadge of={event} />
      </>
    ),
  },
  { head: "Level", cell: ({ riskLevel }) => <Level level={riskLevel} /> },
  {
    head: "What",
    cell: ({ success, errorMessage, action }) => (success ? undefined : errorMessage) ?? (action && inWords(action)),
  },
  {
    head: "Who",
    cell: ({ userId, ipAddress }) => [userId, ipAddress].filter((one) => one !== undefined).join(", "),
  },
  { head: "Outcome", cell: ({ success }) => (success ? "Succeeded" : <Badge tone="bad">Failed</Badge>) },
  { head: "Time", cell: ({ timestamp }) => <ShortTime at={timestamp} /> },
];

const alertColumns: readonly Column<Alert>[] = [
  { head: "Alert", isHead: true, cell: ({ id, title }) => <a href={alertAddress(id)}>{title}</a> },
  { head: "Level", cell: ({ level }) => <Level level={level} /> },
  { head: "Status", cell: ({ status }) => <Status status={status} /> },
  { head: "Last seen", cell: ({ lastSeen }) => <RelativeTime at={lastSeen} /> },
];

const EventRows = ({ label, events }: { label: string; events: readonly SecurityEvent[] }) => (
  <Table label={label} class="rows" rows={events} keyOf={({ id }) => id} columns={eventColumns} />
);

const MOST_LINKED = 10;

/** Links to the pages of the other side: the addresses of a user, or the users of an address. */
const Others = ({
  of,
  addressFor,
}: {
  of: readonly { value: string; count: number }[];
  addressFor: (value: string) => string;
}) => (
  <>
    {of.slice(0, MOST_LINKED).map(({ value, count }) => (
      <p key={value}>
        <a href={addressFor(value)}>{value}</a> <span class="quiet">{plural(count, "event")}</span>
      </p>
    ))}
    {of.length > MOST_LINKED && <p class="quiet">and {formatNumber(of.length - MOST_LINKED)} more</p>}
  </>
);

const NEWEST = 10;

const Did = ({ caller, report }: { caller: Caller; report: CallerReport }) => {
  const { events, stats, firstSeen, isFirstDayOnly } = report;
  const isUser = "userId" in caller;
  const others = countsOf(events, ({ userId, ipAddress }) => (isUser ? ipAddress : userId));
  const types = countsOf(events, ({ eventType }) => eventType);
  const lastSeen = events[0]?.timestamp;
  return (
    <>
      <Card title="Seen">
        <Facts
          of={[
            [
              "First seen",
              firstSeen !== undefined &&
                (isFirstDayOnly ? `${formatUtcDay(firstSeen)} (UTC)` : <TimeAndAge at={firstSeen} />),
            ],
            ["Last seen", lastSeen !== undefined && <TimeAndAge at={lastSeen} />],
            ["Events", formatNumber(stats.totalEvents)],
            ["Of high risk", formatNumber(stats.highRiskEvents)],
            ["Failed", formatShare(stats.failureRate)],
            [
              isUser ? "From the addresses" : "Users",
              others.length > 0 && (
                <Others
                  of={others}
                  addressFor={(value) => callerAddress(isUser ? { ipAddress: value } : { userId: value })}
                />
              ),
            ],
            [
              "Mostly",
              types
                .slice(0, 5)
                .map(({ value, count }) => `${inWords(value)} (${formatNumber(count)})`)
                .join(", "),
            ],
          ]}
        />
        <Columns
          title={chartTitle("day")}
          columns={columnsOf(daysSinceFirst(stats.intervals), "day", serviceNow())}
          totalName="Events"
          badName="Failed"
        />
      </Card>
      <Card
        title="What they did last"
        actions={<a href={addressOf("/console/events", { ...caller, period: "30d" })}>All events</a>}
      >
        <EventRows label="Newest events" events={events.slice(0, NEWEST)} />
      </Card>
    </>
  );
};

type Props = { title: string; kind: string; caller: Caller; actions?: ComponentChildren };

export const CallerPage = ({ title, kind, caller, actions }: Props) => {
  const report = useCallerReport(caller);
  const refusals = useRefusals(caller);
  const alerts = useAlertsAbout(caller);
  const days = usePeriodDays();
  return (
    <Page title={title} lead={`${kind}. What the service has recorded in ${plural(days, "day")}.`} actions={actions}>
      <Loaded
        of={alerts}
        what="alerts"
        isEmpty={({ length }) => length === 0}
        empty={
          <Card title="Alerts">
            <p class="quiet">No alert is about them.</p>
          </Card>
        }
      >
        {(found) => (
          <Card title={`Alerts (${formatNumber(found.length)})`}>
            <Table label="Alerts" class="rows" rows={found} keyOf={({ id }) => id} columns={alertColumns} />
          </Card>
        )}
      </Loaded>
      <Loaded
        of={refusals}
        what="refusals"
        isEmpty={({ length }) => length === 0}
        empty={
          <Card title="Refused or failed">
            <p class="quiet">Nothing was refused, and nothing failed.</p>
          </Card>
        }
      >
        {(events) => (
          <Card
            title="Refused or failed"
            actions={
              <a href={addressOf("/console/events", { ...caller, success: "false", period: "30d" })}>All of them</a>
            }
          >
            <EventRows label="Refused or failed" events={events.slice(0, NEWEST)} />
          </Card>
        )}
      </Loaded>
      <Loaded
        of={report}
        what="events"
        isEmpty={({ stats }) => stats.totalEvents === 0}
        empty={
          <Empty title="No event of theirs is kept">
            <p>Events are kept for {plural(days, "day")}. Ids of users and addresses must be exactly as in events.</p>
          </Empty>
        }
      >
        {(value) => <Did caller={caller} report={value} />}
      </Loaded>
    </Page>
  );
};
