/** What has happened since the user was last here. */
import { useEffect, useState } from "preact/hooks";
import { useCaller } from "../../access.ts";
import { answer, api } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import { Card } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/values.tsx";
import { addressOf } from "../../words/address.ts";
import { serviceNow } from "../../words/clock.ts";
import { formatNumber, plural } from "../../words/format.ts";
import type { Known } from "./known.ts";
import { noteVisit } from "./visits.ts";

const NOTED_EVERY_MS = 60_000;

/** When the user was last here, as it was when this page was opened. */
const useLastVisit = (): number | undefined => {
  const { organizationId, userId } = useCaller();
  const [since] = useState(() => noteVisit(organizationId, userId, serviceNow()));
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) noteVisit(organizationId, userId, serviceNow());
    }, NOTED_EVERY_MS);
    return () => clearInterval(timer);
  }, [organizationId, userId]);
  return since;
};

type Props = { known: Known };

const Since = ({ at, known: { openAlerts = [], runs = [] } }: Props & { at: number }) => {
  const read = useResource(`overview since ${at}`, async (signal) => {
    const query = { since: String(Math.round(at)), limit: 1 } as const;
    return (await answer(api.GET("/api/integrations/provider/security", { params: { query }, signal }))).stats;
  });
  const alerts = openAlerts.filter(({ lastSeen }) => lastSeen > at).length;
  const ended = runs.filter(({ startedAt }) => startedAt > at);
  const failed = ended.filter(({ status }) => status === "failed").length;
  const events = addressOf("/console/events", { since: new Date(at).toISOString() });
  return (
    <Card title="Since you were last here">
      <p>
        You were here <RelativeTime at={at} />. Since then:{" "}
        <a href="/console/alerts?status=open">{plural(alerts, "open alert")} raised or repeated</a>,{" "}
        <a href="/console/syncs">
          {plural(ended.length, "sync", "syncs")}
          {failed > 0 && `, ${formatNumber(failed)} of them failed`}
        </a>
        , and{" "}
        <a href={events}>
          {read.value === undefined
            ? "events"
            : `${plural(read.value.totalEvents, "event")}, ${formatNumber(read.value.highRiskEvents)} of high risk`}
        </a>
        .
      </p>
    </Card>
  );
};

/** Nothing at the first visit of this browser. */
export const SinceCard = ({ known }: Props) => {
  const at = useLastVisit();
  return at === undefined ? null : <Since at={at} known={known} />;
};
