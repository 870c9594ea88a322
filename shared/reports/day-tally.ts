/** What a day's events come to, counted one by one as they are read, whatever their order. Pure. */

import { factOf } from "../detection/rules/fact.ts";
import { isCall } from "../detection/rules/unusual-api-usage.ts";
import type { SecurityEvent } from "../security/security-event.ts";
import { HOUR_MS } from "../terms/hours.ts";
import { changeOf } from "./change-of-event.ts";
import type { ComplianceReport, ReportedChange, UserAccess } from "./compliance-report.ts";
import { noneByLevel } from "./report-fields.ts";

/** `users` and `changes` are in no order. */
export type DayResult = {
  events: ComplianceReport["events"];
  withoutUser: ComplianceReport["access"]["withoutUser"];
  users: UserAccess[];
  changes: ReportedChange[];
};

type Access = Pick<UserAccess, "calls" | "refusals"> & { reads: Map<string, number> };

const HOURS = 24;

/** What a refused request of ours leaves; of the provider's own refusals nobody here is to blame. */
const REFUSALS = ["AUTHENTICATION_FAILURE", "PERMISSION_DENIED"];

const READ_PREFIX = "read_";

/** @param from the day's beginning, epoch ms. */
export const createDayTally = (from: number) => {
  const events = {
    total: 0,
    failures: 0,
    byLevel: noneByLevel(),
    hours: Array.from({ length: HOURS }, () => ({ events: 0, failures: 0 })),
  };
  const withoutUser = { calls: 0, refusals: 0 };
  const users = new Map<string, Access>();
  const changes: ReportedChange[] = [];

  const accessOf = (userId: string): Access => {
    const known = users.get(userId) ?? { calls: 0, reads: new Map(), refusals: 0 };
    users.set(userId, known);
    return known;
  };

  const addCall = (event: SecurityEvent): void => {
    const fact = factOf(event);
    if (!isCall(fact)) return;
    const isRefusal = REFUSALS.includes(event.eventType);
    if (event.userId === undefined) {
      withoutUser.calls++;
      if (isRefusal) withoutUser.refusals += fact.failures ?? 1;
      return;
    }
    const access = accessOf(event.userId);
    access.calls++;
    if (isRefusal) access.refusals++;
    if (event.eventType !== "DATA_READ" || !event.action?.startsWith(READ_PREFIX)) return;
    const kind = event.action.slice(READ_PREFIX.length);
    access.reads.set(kind, (access.reads.get(kind) ?? 0) + 1);
  };

  return {
    /** Each event once. */
    add(event: SecurityEvent): void {
      events.total++;
      events.byLevel[event.riskLevel]++;
      const hour = events.hours[Math.floor((event.timestamp - from) / HOUR_MS)];
      if (hour !== undefined) hour.events++;
      if (!event.success) {
        events.failures++;
        if (hour !== undefined) hour.failures++;
      }
      addCall(event);
      const change = changeOf(event);
      if (change !== undefined) changes.push(change);
    },

    result: (): DayResult => ({
      events,
      withoutUser,
      users: [...users].map(([userId, { reads, ...access }]) => ({
        userId,
        ...access,
        reads: Object.fromEntries([...reads].sort(([a], [b]) => (a < b ? -1 : 1))),
      })),
      changes,
    }),
  };
};
