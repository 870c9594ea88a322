/** The archive over real tables and a bucket in memory, with what is sealed as tests say it. */

import { randomBytes } from "node:crypto";
import { createArchiveStore } from "../../shared/archive/archive-store.ts";
import { createArchiveWriter, type SealOfHour } from "../../shared/archive/archive-writer.ts";
import { type DueHoursDependencies, writeDueHours } from "../../shared/archive/write-due-hours.ts";
import { newSalt } from "../../shared/runtime/ids.ts";
import { eventId } from "../../shared/security/event-id.ts";
import { createDueHourStore } from "../../shared/security/feed/due-hour-store.ts";
import { createHourEventsStore } from "../../shared/security/feed/hour-events-store.ts";
import type { SecurityEvent } from "../../shared/security/security-event.ts";
import { createSecurityEventStore } from "../../shared/security/security-event-store.ts";
import { DAY_MS, expiryOf, startOfHour } from "../../shared/terms/hours.ts";
import { organizationKey } from "../../shared/terms/keys.ts";
import { createMemoryObjects } from "./memory-objects.ts";
import { NOW } from "./security-events.ts";
import type { useDatabase } from "./use-table.ts";

export const SPAN = { months: 13, retentionMs: 90 * DAY_MS };
const RETENTION_DAYS = 90;

export const createArchiveWorld = (database: ReturnType<typeof useDatabase>, organizationId: string) => {
  const scope = organizationKey(organizationId);
  const time = { now: NOW };
  const bucket = createMemoryObjects();
  const archive = createArchiveStore(bucket.store);
  const sealed = new Map<number, Awaited<ReturnType<SealOfHour>>>();
  const sealOf: SealOfHour = async ({ hour }) => sealed.get(hour) ?? "later";
  const events = createHourEventsStore(database.table("securityEvents"));
  const dueHours = createDueHourStore(database.table("securityRollups"), () => time.now);
  return {
    scope,
    time,
    bucket,
    archive,
    sealed,
    sealOf,
    events,
    dueHours,
    store: createSecurityEventStore(database.table("securityEvents")),
    /** Stores an event as the recorder does. */
    async record(event: SecurityEvent, { isLate = false, salt = newSalt() } = {}): Promise<void> {
      const store = createSecurityEventStore(database.table("securityEvents"));
      const ttl = expiryOf(event.timestamp, RETENTION_DAYS);
      await store.put({ event: { ...event, organizationId }, ttl, seal: { salt, isLate } });
    },
    /** Writes the hours that are due. */
    write: (also: Partial<DueHoursDependencies> = {}) =>
      writeDueHours(
        {
          events,
          writers: [createArchiveWriter({ archive, sealOf, span: SPAN })],
          dueHours: {
            ...dueHours,
            async *listAll(shard) {
              for await (const due of dueHours.listAll(shard)) if (due.scope === scope) yield due;
            },
          },
          bus: { publish: async () => [] },
          now: () => time.now,
          ...also,
        },
        {},
        () => 300_000,
      ),
    /** The hours of the organization that are due. */
    async due(): Promise<number[]> {
      const hours: number[] = [];
      for (let shard = 0; shard < 8; shard++)
        for await (const one of dueHours.listAll(`feed#${shard}`)) if (one.scope === scope) hours.push(one.hour);
      return hours;
    },
  };
};

/** An event of an hour. @param at epoch ms. */
export const eventAt = (at: number, fields: Partial<SecurityEvent> = {}): SecurityEvent => ({
  id: eventId(at, randomBytes(16)),
  eventType: "SETTINGS_CHANGED",
  category: "compliance",
  riskLevel: "LOW",
  source: "user",
  userId: "ada",
  success: true,
  processed: false,
  alertGenerated: false,
  timestamp: at,
  createdAt: at,
  ...fields,
});

/** The hour before NOW's. */
export const LAST_HOUR = startOfHour(NOW) - 3_600_000;
