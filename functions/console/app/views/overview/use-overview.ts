/**
 * What the overview reads again and again: five requests each time, one more while alerts are open, and three about
 * destinations and rules now and then.
 */
import { useMay } from "../../access.ts";
import { answer, api, page } from "../../api/client.ts";
import type { Problem } from "../../api/problem.ts";
import { useCircuit, useConnection } from "../../api/reads.ts";
import { type Resource, useResource } from "../../api/resource.ts";
import type {
  Alert,
  AlertCounts,
  Connection,
  Destination,
  OrganizationStats,
  SecurityEvent,
  SecurityReport,
  SyncRun,
  WebhookDelivery,
} from "../../api/types.ts";
import { serviceNow } from "../../words/clock.ts";
import { useRules } from "../rules/use-rules.ts";
import type { Known } from "./known.ts";
import { gravestOf } from "./open-alerts.ts";

const EVERY_MS = 15_000;
/** The runs, while one is under way. */
const RUNNING_MS = 2_000;
/** A destination is paused after days of failures, so a later note is early enough. */
const DESTINATIONS_EVERY_MS = 5 * 60_000;
const RUNS = 10;
const DELIVERIES = 20;
/** One of each rule and subject, so mostly all of them. */
const ALERTS = 200;
/** The newest events of high risk that are shown. */
const EVENTS = 5;
const SILENCINGS = 20;

export type Overview = {
  connection: Connection | undefined;
  circuit: OrganizationStats | undefined;
  runs: readonly SyncRun[] | undefined;
  failedWebhooks: { items: readonly WebhookDelivery[]; next: string | undefined } | undefined;
  /** Of the last 24 hours; undefined if the user may not see it, too. */
  security: SecurityReport | undefined;
  known: Known;
  /** Whether all that the user may see is known. */
  isComplete: boolean;
  /** Why a read failed. The last answers stay. */
  problem: Problem | undefined;
  reload(): void;
};

/** Reads nothing, if the user may not read it. */
const useSecurity = (maySee: boolean): Resource<SecurityReport | null> =>
  useResource(
    maySee ? "overview security" : "no security",
    async (signal) =>
      maySee
        ? answer(
            api.GET("/api/integrations/provider/security", {
              params: { query: { interval: "hour", alertCounts: "true", limit: EVENTS } },
              signal,
            }),
          )
        : null,
    maySee ? { everyMs: EVERY_MS } : {},
  );

/** Reads nothing, if the user may not read it. */
const useDestinations = (maySee: boolean): Resource<readonly Destination[] | null> =>
  useResource(
    maySee ? "destinations" : "no destinations",
    async (signal) => (maySee ? answer(api.GET("/api/integrations/provider/notifications", { signal })) : null),
    maySee ? { everyMs: DESTINATIONS_EVERY_MS } : {},
  );

/** The open alerts, while there are some to quote, and the newest event of the gravest one. */
const useOpenAlerts = (counts: AlertCounts | undefined) => {
  const isNeeded = counts !== undefined && Object.values(counts.open).some((count) => count > 0);
  const alerts = useResource<readonly Alert[] | null>(
    isNeeded ? "overview alerts" : "no alerts",
    async (signal) => {
      const query = { status: "open", limit: ALERTS } as const;
      if (!isNeeded) return null;
      const alerts = await answer(api.GET("/api/integrations/provider/security/alert", { params: { query }, signal }));
      return alerts.filter(({ drill }) => drill !== true);
    },
    isNeeded ? { everyMs: EVERY_MS } : {},
  );
  const id = gravestOf(alerts.value ?? [])?.eventIds[0];
  // An event never changes. One that has expired is not quoted.
  const event = useResource<SecurityEvent | null>(`overview event ${id ?? "none"}`, async (signal) => {
    const params = { path: { id: id ?? "" } };
    return id === undefined
      ? null
      : answer(api.GET("/api/integrations/provider/security/events/{id}", { params, signal })).catch(() => null);
  });
  return { alerts, event };
};

const WEEK_MS = 7 * 24 * 60 * 60_000;

/** The changes that silence destinations are NOTIFICATIONS_CHANGED of level HIGH. */
const useSilencings = (maySee: boolean): Resource<SecurityReport["events"] | null> =>
  useResource(
    maySee ? "overview silencings" : "no silencings",
    async (signal) => {
      if (!maySee) return null;
      const since = String(Math.round(serviceNow() - WEEK_MS));
      const query = { since, eventType: "NOTIFICATIONS_CHANGED", riskLevel: "HIGH", limit: SILENCINGS } as const;
      return (await answer(api.GET("/api/integrations/provider/security", { params: { query }, signal }))).events;
    },
    maySee ? { everyMs: DESTINATIONS_EVERY_MS } : {},
  );

export const useOverview = (): Overview => {
  const connection = useConnection(EVERY_MS);
  const circuit = useCircuit(EVERY_MS);
  const runs = useResource(
    "overview runs",
    (signal) => answer(api.GET("/api/integrations/provider/sync", { params: { query: { limit: RUNS } }, signal })),
    { everyMs: (answer) => (answer?.some(({ status }) => status === "running") ? RUNNING_MS : EVERY_MS) },
  );
  const webhooks = useResource(
    "overview webhooks",
    (signal) => {
      const query = { status: "failed", limit: DELIVERIES } as const;
      return page(api.GET("/api/integrations/provider/webhooks", { params: { query }, signal }));
    },
    { everyMs: EVERY_MS },
  );
  const maySeeSecurity = useMay("security:read");
  const security = useSecurity(maySeeSecurity);
  const alertCounts = security.value?.alertCounts;
  const { alerts: openAlerts, event } = useOpenAlerts(alertCounts);
  const silencings = useSilencings(maySeeSecurity);
  const destinations = useDestinations(useMay("settings:manage"));
  const rules = useRules(maySeeSecurity, DESTINATIONS_EVERY_MS);

  const reads = [connection, circuit, runs, webhooks, security, openAlerts, silencings, destinations, rules];
  const shown = {
    connection: connection.value,
    circuit: circuit.value?.organizationStats,
    runs: runs.value,
    failedWebhooks: webhooks.value,
  };
  return {
    ...shown,
    security: security.value ?? undefined,
    known: {
      ...shown,
      alertCounts,
      openAlerts: openAlerts.value ?? undefined,
      newestEvent: event.value ?? undefined,
      silencings: silencings.value,
      destinations: destinations.value,
      rules: rules.value,
    },
    isComplete: reads.every(({ value }) => value !== undefined),
    problem: reads.find(({ problem }) => problem !== undefined)?.problem,
    reload: () => {
      for (const read of reads) if (read.problem !== undefined) read.reload();
    },
  };
};
