/** Every hour: finds the hours to be judged, and publishes them. docs/detection.md, "How an hour is judged". */
import { definedFields } from "../json/defined-fields.ts";
import { chunksOf } from "../runtime/chunks.ts";
import type { Clock } from "../runtime/clock.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import type { OpenHourStore } from "../security/statistics/open-hour-store.ts";
import { HOUR_MS, startOfHour } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";
import { dispatch } from "../work/dispatch.ts";
import type { SilenceRule } from "./custom-rules/custom-rule-store.ts";
import { endsWindow } from "./custom-rules/judge-custom-rules.ts";
import {
  type DetectionDispatch,
  type DetectionDue,
  DUE_SLOTS,
  detectionDue,
  dispatchContinued,
  MAX_HOURS,
  organizationOfScope,
  scopeOfPartition,
} from "./detection.ts";
import { silentIntervals } from "./rules/rules.ts";
import type { SyncFactsStore } from "./sync-facts-store.ts";
import type { UnjudgedStore } from "./unjudged-store.ts";

/**
 * The time over which many organizations are spread. Judging them takes a minute more, and an hour must be judged within
 * 60 minutes after its end. close-security-hours runs later: an hour that is judged by then needs no due mark.
 */
const SPREAD_MS = 30 * 60_000;
const SUCCESSES_PER_READ = 600;

export type DispatchDependencies = {
  unjudged: Pick<UnjudgedStore, "listAll" | "lastDispatch" | "recordDispatch">;
  silenceRules: () => AsyncIterable<SilenceRule>;
  openHours: Pick<OpenHourStore, "listAll">;
  connectedOrganizations: () => AsyncIterable<string>;
  syncFacts: Pick<SyncFactsStore, "lastSuccesses">;
  bus: Pick<EventBus, "publish">;
  syncIntervalMs: number;
  retentionMs: number;
  now: Clock;
  sleep: (ms: number) => Promise<unknown>;
};

/** `money`: the hours whose money is marked; they need not be due otherwise. */
type Due = { hours: Set<number>; marked: Set<number>; money: Set<number> };

const newDue = (): Due => ({ hours: new Set(), marked: new Set(), money: new Set() });

export const createDetectionDispatcher = (dependencies: DispatchDependencies) => {
  const { unjudged, silenceRules, openHours, connectedOrganizations, syncFacts, bus } = dependencies;
  const { syncIntervalMs, retentionMs, now, sleep } = dependencies;

  /** Adds the hours with events, or with a mark of their money, that ended by now. */
  const findHoursWithEvents = async (at: number): Promise<Map<string, Due>> => {
    const dueByScope = new Map<string, Due>();
    const add = (partition: string, hour: number, to: readonly (keyof Due)[]): void => {
      const end = hour + HOUR_MS;
      // The events of older hours have expired.
      if (end > at || end + retentionMs <= at) return;
      const scope = scopeOfPartition(partition);
      const due = dueByScope.get(scope) ?? newDue();
      dueByScope.set(scope, due);
      for (const name of to) due[name].add(hour);
    };
    for await (const { scope, hour } of openHours.listAll(at - HOUR_MS)) add(scope, hour, ["hours"]);
    for await (const { scope, hour, of } of unjudged.listAll())
      add(scope, hour, of === "money" ? ["money"] : ["hours", "marked"]);
    return dueByScope;
  };

  /**
   * Silence leaves no events: adds the last hour of connected organizations without a successful sync for too long.
   * @param after the last scope that an earlier invocation has published. The scopes up to it are not read.
   * @returns how many organizations were added.
   */
  const addSilent = async (dueByScope: Map<string, Due>, at: number, after: string): Promise<number> => {
    const lastHour = startOfHour(at) - HOUR_MS;
    const silentBefore = startOfHour(at) - silentIntervals * syncIntervalMs;
    const candidates: string[] = [];
    for await (const organizationId of connectedOrganizations()) {
      const scope = organizationKey(organizationId);
      if (scope > after && !dueByScope.get(scope)?.hours.has(lastHour)) candidates.push(organizationId);
    }
    let silent = 0;
    for (const chunk of chunksOf(candidates, SUCCESSES_PER_READ)) {
      const lastSuccesses = await syncFacts.lastSuccesses(chunk);
      for (const organizationId of chunk) {
        if ((lastSuccesses.get(organizationId) ?? 0) > silentBefore) continue;
        const scope = organizationKey(organizationId);
        const due = dueByScope.get(scope) ?? newDue();
        dueByScope.set(scope, { ...due, hours: new Set([...due.hours, lastHour]) });
        silent++;
      }
    }
    return silent;
  };

  /**
   * The windows of own rules with the condition `lt` may have no events: adds their last hours, also those that ended since
   * the last dispatch.
   */
  const addSilenceWindows = async (dueByScope: Map<string, Due>, at: number, after: string): Promise<void> => {
    const lastHour = startOfHour(at) - HOUR_MS;
    const since = startOfHour((await unjudged.lastDispatch(at)) ?? lastHour);
    const first = Math.max(since, lastHour - (MAX_HOURS - 1) * HOUR_MS);
    for await (const { scope, windowMinutes } of silenceRules()) {
      if (scope <= after) continue;
      for (let start = Math.min(first, lastHour); start <= lastHour; start += HOUR_MS) {
        if (!endsWindow(windowMinutes, { start, end: start + HOUR_MS })) continue;
        const due = dueByScope.get(scope) ?? newDue();
        due.hours.add(start);
        dueByScope.set(scope, due);
      }
    }
  };

  const oldestOf = (hours: ReadonlySet<number>): number[] => [...hours].sort((a, b) => a - b).slice(0, MAX_HOURS);

  const toDetail = ([scope, { hours, marked, money }]: [string, Due]): Omit<DetectionDue, "version"> => {
    const oldest = oldestOf(hours);
    return {
      ...definedFields({ organizationId: organizationOfScope(scope) }),
      hours: oldest,
      marked: oldest.filter((hour) => marked.has(hour)),
      ...(money.size > 0 && { money: oldestOf(money) }),
    };
  };

  /**
   * Publishes the due hours of each scope, in the order of scopes. Repeated, it does no harm.
   * @param continued where the invocation before ended; empty if the schedule started this one.
   * @throws Error if the bus does not take the events; DomainError `store_unavailable`.
   */
  return async ({ after = "", until }: DetectionDispatch, remainingMs: () => number) => {
    const at = now();
    const endsAt = until ?? at + SPREAD_MS;
    const dueByScope = await findHoursWithEvents(at);
    await addSilenceWindows(dueByScope, at, after);
    const silent = await addSilent(dueByScope, at, after);
    const items = [...dueByScope].sort(([a], [b]) => (a < b ? -1 : 1)).filter(([scope]) => scope > after);
    const { dispatched, isHandedOver } = await dispatch({
      items,
      withinMs: endsAt - at,
      toEvents: (batch) => Array.from(chunksOf(batch.map(toDetail), DUE_SLOTS.length), detectionDue),
      continueAfter: ([scope]) => dispatchContinued({ after: scope, until: endsAt }),
      bus,
      clock: now,
      sleep,
      remainingMs,
    });
    const hours = items.slice(0, dispatched).reduce((sum, [, due]) => sum + Math.min(due.hours.size, MAX_HOURS), 0);
    const counts = { organizations: dispatched, hours, silent, isHandedOver };
    if (isHandedOver) return counts;
    await unjudged.recordDispatch(at, counts);
    return counts;
  };
};
