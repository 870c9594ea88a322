/** The fields of one event as facts, with links to the events that share a value. */
import type { ComponentChildren } from "preact";
import type { SecurityEventWithAlert } from "../../api/types.ts";
import { Card, Facts } from "../../parts/page.tsx";
import { Badge, Level, Time, TimeAndAge } from "../../parts/values.tsx";
import { addressOf, alertAddress, callerAddress } from "../../words/address.ts";
import { formatDuration, inWords } from "../../words/format.ts";
import { type FactValue, metadataFacts } from "./metadata.ts";
import type { Chosen } from "./query.ts";
import { sourceLabels } from "./selection.ts";

/** Around an event, in both directions. */
const AROUND_MS = 5 * 60_000;

const listOf = (filters: Chosen): string => addressOf("/console/events", filters);

export const FactText = ({ of }: { of: FactValue }) => {
  switch (of.kind) {
    case "text":
      return <>{of.text}</>;
    case "time":
      return <Time at={of.at} />;
    case "duration":
      return <>{formatDuration(of.ms)}</>;
  }
};

/** A value, and a link to the events that have it. */
const More = ({ children, filters, what }: { children: ComponentChildren; filters: Chosen; what: string }) => (
  <>
    {children}{" "}
    <a class="events-more" href={listOf({ period: "7d", ...filters })}>
      More of this {what}
    </a>
  </>
);

const AlertOf = ({ event: { alertGenerated, alertId, alertLevel } }: { event: SecurityEventWithAlert }) => {
  if (!alertGenerated && alertId === undefined) return <>None</>;
  return (
    <>
      {alertLevel !== undefined && <Level level={alertLevel} />}{" "}
      {alertId === undefined ? (
        "It raised an alert, which was resolved."
      ) : (
        <a href={alertAddress(alertId)}>Open its alert</a>
      )}
    </>
  );
};

type FieldsProps = { event: SecurityEventWithAlert; processedAt: number | undefined };

export const What = ({ event }: { event: SecurityEventWithAlert }) => {
  const { eventType, category, riskLevel, success, errorCode, errorMessage, action, resource, resourceType } = event;
  return (
    <Card title="What">
      <Facts
        of={[
          ["Drill", event.drill === true ? <Badge tone="accent">Drill: nothing has happened</Badge> : undefined],
          ["Outcome", success ? <Badge tone="good">Succeeded</Badge> : <Badge tone="bad">Failed</Badge>],
          ["Error", errorMessage],
          ["Error code", errorCode],
          [
            "Level",
            <More filters={{ riskLevel }} what="level">
              <Level level={riskLevel} />
            </More>,
          ],
          [
            "Type",
            <More filters={{ eventType }} what="type">
              <code>{eventType}</code>
            </More>,
          ],
          [
            "Category",
            <More filters={{ category }} what="category">
              {inWords(category)}
            </More>,
          ],
          ["Action", action],
          ["Resource", resource],
          ["Kind of resource", resourceType && inWords(resourceType)],
        ]}
      />
    </Card>
  );
};

const aroundOf = ({ timestamp }: SecurityEventWithAlert): Chosen => ({
  period: undefined,
  since: new Date(timestamp - AROUND_MS).toISOString(),
  until: new Date(timestamp + AROUND_MS).toISOString(),
});

export const Who = ({ event }: { event: SecurityEventWithAlert }) => {
  const { userId, sessionId, ipAddress, source, userAgent, location: place } = event;
  return (
    <Card title="Who">
      <Facts
        of={[
          [
            "User",
            userId && (
              <More filters={{ userId }} what="user">
                <a href={callerAddress({ userId })}>{userId}</a>
              </More>
            ),
          ],
          [
            "Caused by",
            <More filters={{ source }} what="cause">
              {sourceLabels[source]}
            </More>,
          ],
          [
            "Address",
            ipAddress && (
              <More filters={{ ipAddress }} what="address">
                <a href={callerAddress({ ipAddress })}>{ipAddress}</a>
              </More>
            ),
          ],
          [
            "Session",
            sessionId && (
              <More filters={{ userId, ...aroundOf(event) }} what="user around this time">
                {sessionId}
              </More>
            ),
          ],
          ["Program", userAgent],
          ["Location", place],
        ]}
      />
    </Card>
  );
};

export const When = ({ event, processedAt }: FieldsProps) => {
  const { id, timestamp, createdAt, processed } = event;
  return (
    <Card title="When">
      <Facts
        of={[
          ["Time", <TimeAndAge at={timestamp} />],
          ["Recorded", createdAt === timestamp ? undefined : <Time at={createdAt} />],
          ["Around it", <a href={listOf(aroundOf(event))}>All events within five minutes</a>],
          ["Processed", processedAt !== undefined ? <Time at={processedAt} /> : processed ? "Yes" : "No"],
          ["Alert", <AlertOf event={event} />],
          ["Event id", <code>{id}</code>],
        ]}
      />
    </Card>
  );
};

export const Metadata = ({ of }: { of: unknown }) => {
  const facts = metadataFacts(of);
  return (
    <Card title="Details">
      {facts.length === 0 && <p class="quiet">The event has no further details.</p>}
      <Facts of={facts.map(({ name, value }) => [name, <FactText of={value} />] as const)} />
      {of !== undefined && (
        <details class="events-raw">
          <summary>As JSON</summary>
          <pre>{JSON.stringify(of, null, 2)}</pre>
        </details>
      )}
    </Card>
  );
};
