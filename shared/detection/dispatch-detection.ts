/**
 * Every hour: finds who has hours to be judged, and asks for each over the bus. docs/detection.md, "How an hour is judged".
 */

import { chunksOf } from "../runtime/chunks.ts";
import type { Clock } from "../runtime/clock.ts";
import type { BusEvent, EventBus } from "../runtime/event-bus.ts";
import type { OpenHourStore } from "../security/statistics/open-hour-store.ts";
import { HOUR_MS, startOfHour } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";
import { type DetectionDue, DUE_SLOTS, detectionDue, dispatchContinued, MAX_HOURS } from "./detection-due.ts";
import { organizationOfScope, scopeOfPartition } from "./detection-keys.ts";
import type { HeartbeatStore } from "./heartbeat-store.ts";
import { SILENT_INTERVALS } from "./rules/sync-silence.ts";
import type { SyncFactsStore } from "./sync-facts-store.ts";
import type { UnjudgedStore } from "./unjudged-store.ts";

/** A call of the bus takes ten events. */
const BATCH = 10 * DUE_SLOTS.length;
/** A batch that the bus refuses is sent so often, each time for as long as a publication takes. */
const PUBLICATIONS = 5;
/** Of the function's time, for handing the rest to another invocation. */
const HANDOVER_MS = 30_000;
const SUCCESSES_AT_ONCE = 600;

export type DispatchDetectionParts = {
  unjudged: Pick<UnjudgedStore, "listAll">;
  openHours: Pick<OpenHourStore, "listAll">;
  connectedOrganizations: () => AsyncIterable<string>;
  syncFacts: Pick<SyncFactsStore, "lastSuccesses">;
  bus: Pick<EventBus, "publish">;
  heartbeats: Pick<HeartbeatStore, "beat">;
  syncIntervalMs: number;
  retentionMs: number;
  now: Clock;
};

type Due = { hours: Set<number>; marked: Set<number> };

export const createDetectionDispatcher = (parts: DispatchDetectionParts) => {
  const { unjudged, openHours, syncFacts, bus, heartbeats, syncIntervalMs, retentionMs, now } = parts;

  /** Hours with events, whether their statistics are closed already or not. Of those that ended by now. */
  const hoursWithEvents = async (at: number): Promise<Map<string, Due>> => {
    const due = new Map<string, Due>();
    const add = (partition: string, hour: number): Due | undefined => {
      // Its events have expired, and nothing is left to be judged.
      if (hour + HOUR_MS > at || hour + HOUR_MS + retentionMs <= at) return undefined;
      const scope = scopeOfPartition(partition);
      const found = due.get(scope) ?? { hours: new Set(), marked: new Set() };
      due.set(scope, found);
      found.hours.add(hour);
      return found;
    };
    for await (const { scope, hour } of openHours.listAll(at - HOUR_MS)) add(scope, hour);
    for await (const { scope, hour } of unjudged.listAll()) add(scope, hour)?.marked.add(hour);
    return due;
  };

  /** Silence leaves no events: the last hour of connected organizations that have not synced for long is judged as well. */
  const addSilent = async (due: Map<string, Due>, at: number): Promise<number> => {
    const lastHour = startOfHour(at) - HOUR_MS;
    const silentBefore = startOfHour(at) - SILENT_INTERVALS * syncIntervalMs;
    const connected: string[] = [];
    for await (const organizationId of parts.connectedOrganizations()) {
      if (!due.get(organizationKey(organizationId))?.hours.has(lastHour)) connected.push(organizationId);
    }
    let silent = 0;
    for (const chunk of chunksOf(connected, SUCCESSES_AT_ONCE)) {
      const lastSuccesses = await syncFacts.lastSuccesses(chunk);
      for (const organizationId of chunk) {
        if ((lastSuccesses.get(organizationId) ?? 0) > silentBefore) continue;
        const scope = organizationKey(organizationId);
        const found = due.get(scope) ?? { hours: new Set(), marked: new Set() };
        due.set(scope, { ...found, hours: new Set([...found.hours, lastHour]) });
        silent++;
      }
    }
    return silent;
  };

  const publish = async (events: readonly BusEvent[]): Promise<void> => {
    let left = events;
    for (let publication = 0; left.length > 0; publication++) {
      if (publication === PUBLICATIONS) throw new Error("The event bus does not take the hours that are to be judged.");
      left = (await bus.publish(left)).map(({ event }) => event);
    }
  };

  const dueOf = ([scope, { hours, marked }]: [string, Due]): Omit<DetectionDue, "version"> => {
    const organizationId = organizationOfScope(scope);
    const oldest = [...hours].sort((a, b) => a - b).slice(0, MAX_HOURS);
    return {
      ...(organizationId !== undefined && { organizationId }),
      hours: oldest,
      marked: oldest.filter((hour) => marked.has(hour)),
    };
  };

  /**
   * Asks for every organization with hours to be judged, in the order of their scopes.
   * @param after the scope that an invocation before came to; undefined for the schedule's own.
   * @throws Error where the bus does not take them, DomainError `store_unavailable`: repeated, it does no harm.
   */
  return async (after: string | undefined, remainingMs: () => number) => {
    const at = now();
    const due = await hoursWithEvents(at);
    const silent = await addSilent(due, at);
    const scopes = [...due].sort(([a], [b]) => (a < b ? -1 : 1)).filter(([scope]) => scope > (after ?? ""));
    let organizations = 0;
    let hours = 0;
    for (const batch of chunksOf(scopes, BATCH)) {
      const last = scopes[organizations - 1]?.[0];
      if (organizations > 0 && last !== undefined && remainingMs() < HANDOVER_MS) {
        await publish([dispatchContinued({ after: last })]);
        return { organizations, hours, silent, isHandedOver: true };
      }
      await publish(chunksOf(batch.map(dueOf), DUE_SLOTS.length).map(detectionDue));
      organizations += batch.length;
      hours += batch.reduce((sum, [, one]) => sum + Math.min(one.hours.size, MAX_HOURS), 0);
    }
    const counts = { organizations, hours, silent, isHandedOver: false };
    // The last of a dispatch says that it is over.
    await heartbeats.beat(at, counts);
    return counts;
  };
};
