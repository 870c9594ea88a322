/** What the service has about a user or an address: statistics and newest events, refusals, alerts. */
import { useCaller } from "../../access.ts";
import { answer, api } from "../../api/client.ts";
import { type Resource, useResource } from "../../api/resource.ts";
import type { Alert, SecurityEvent, SecurityReport } from "../../api/types.ts";
import { serviceNow } from "../../words/clock.ts";
import { type Caller, firstDayOf, isAbout } from "./caller-facts.ts";

const API = "/api/integrations/provider/security";
const DAY = 24 * 60 * 60_000;
/** The longest period that the API counts by day. */
const MOST_DAYS = 91;
const EVERY_MS = 60_000;
const MOST = { events: 200, refusals: 20, alerts: 1_000 };

/** `firstSeen`: epoch milliseconds. `isFirstDayOnly`: it is the beginning of a day with more events than were read. */
export type CallerReport = SecurityReport & { firstSeen: number | undefined; isFirstDayOnly: boolean };

/** The days that events are kept, as far as the API counts them. */
export const usePeriodDays = (): number => Math.min(MOST_DAYS, useCaller().deployment.retentionDays);

const read = (query: object, signal: AbortSignal): Promise<SecurityReport> =>
  answer(api.GET(API, { params: { query }, signal }));

/** The time of the first event: that of the oldest one of the first day, if its events fit into one answer. */
const readFirst = async (caller: Caller, report: SecurityReport, signal: AbortSignal) => {
  const day = firstDayOf(report.stats.intervals);
  if (day === undefined) return { firstSeen: undefined, isFirstDayOnly: false };
  const inFirstDay = { ...caller, since: String(day), until: String(day + DAY), limit: MOST.events };
  const { events, nextCursor } = await read(inFirstDay, signal);
  const oldest = nextCursor === undefined ? events.at(-1)?.timestamp : undefined;
  return { firstSeen: oldest ?? day, isFirstDayOnly: oldest === undefined };
};

export const useCallerReport = (caller: Caller): Resource<CallerReport> => {
  const days = usePeriodDays();
  return useResource<CallerReport>(
    `caller ${JSON.stringify(caller)}`,
    async (signal) => {
      const since = String(serviceNow() - days * DAY);
      const report = await read({ ...caller, since, interval: "day", limit: MOST.events }, signal);
      return { ...report, ...(await readFirst(caller, report, signal)) };
    },
    { everyMs: EVERY_MS },
  );
};

/** What the caller was refused, or failed at. */
export const useRefusals = (caller: Caller): Resource<readonly SecurityEvent[]> => {
  const days = usePeriodDays();
  return useResource<readonly SecurityEvent[]>(
    `refusals ${JSON.stringify(caller)}`,
    async (signal) => {
      const since = String(serviceNow() - days * DAY);
      return (await read({ ...caller, since, success: "false", limit: MOST.refusals }, signal)).events;
    },
    { everyMs: EVERY_MS },
  );
};

/** The alerts about the caller among the newest ones of the organization. */
export const useAlertsAbout = (caller: Caller): Resource<readonly Alert[]> =>
  useResource<readonly Alert[]>(
    `alerts about ${JSON.stringify(caller)}`,
    async (signal) => {
      const query = { limit: MOST.alerts };
      const alerts = await answer(api.GET(`${API}/alert`, { params: { query }, signal }));
      return alerts.filter((alert) => isAbout(caller, alert));
    },
    { everyMs: EVERY_MS },
  );
