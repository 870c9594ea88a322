/** The overview before the first connection: how to connect, and what the page will look like. */
import { useMay } from "../../access.ts";
import type { Connection } from "../../api/types.ts";
import { Card } from "../../parts/page.tsx";
import { Badge, Level, RelativeTime } from "../../parts/values.tsx";
import { refusedConnectOf } from "./open-alerts.ts";
import { StepsCard } from "./steps-card.tsx";
import type { Overview } from "./use-overview.ts";

/** An attempt that failed is no incident: it belongs beside the next attempt. */
const RefusedHint = ({ state: { known }, name }: { state: Overview; name: string }) => {
  const refused = refusedConnectOf(known);
  if (refused === undefined) return null;
  return (
    <p class="problem warn" role="status">
      {name} refused the last API key, <RelativeTime at={refused.lastSeen} />. Check that it is complete, belongs to the
      right account, and has the permissions that are listed beside the field.
    </p>
  );
};

const samples = [
  { title: "Connection", badge: "Connected", text: "acct_1Sample, by API key, for 3 days" },
  { title: "Circuit breaker", badge: "Closed", text: "Requests reach the provider. 0% failed" },
  { title: "Sync", badge: "Succeeded", text: "2 hours ago, 1,204 records, next in 2 hours" },
] as const;

/** A picture of the page, for people who have nothing to see yet. Screen readers get its description. */
const Sample = () => (
  <figure class="overview-sample">
    <figcaption>An example of this page after some days</figcaption>
    <div role="img" aria-label="All is well. The states of connection, circuit breaker and sync, and one open alert.">
      <p class="overview-verdict good">
        <Badge tone="good">Well</Badge> <b>All is well: nothing needs your attention.</b>
      </p>
      <div class="overview-samples">
        {samples.map(({ title, badge, text }) => (
          <div class="card" key={title}>
            <b>{title}</b>
            <p>
              <Badge tone="good">{badge}</Badge> {text}
            </p>
          </div>
        ))}
        <div class="card">
          <b>Open alerts</b>
          <p>
            <Level level="LOW" /> A webhook could not be accepted
          </p>
        </div>
      </div>
    </div>
  </figure>
);

export const FirstRun = ({ state, connection }: { state: Overview; connection: Connection }) => {
  const { name } = connection.provider;
  const mayConnect = useMay("connection:manage");
  return (
    <>
      <Card title={`Connect ${name}`}>
        <p>
          No account of {name} is connected yet. After that, its customers, subscriptions, invoices and payments are
          synced, and this page shows whether all is well.
        </p>
        <RefusedHint state={state} name={name} />
        {mayConnect ? (
          <p>
            <a class="button main overview-connect" href="/console/connection">
              Connect the provider
            </a>
          </p>
        ) : (
          <p>Ask an administrator of your organization to connect it.</p>
        )}
      </Card>
      <StepsCard connection={connection} destinations={state.known.destinations} />
      <Sample />
    </>
  );
};
