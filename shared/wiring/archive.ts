/** The archive, and the feed for a SIEM, of a deployed function. All throw Error at cold start if the environment lacks a variable. */

import type { ArchiveSpan } from "../archive/archive-hour.ts";
import { type ArchiveStore, createArchiveStore } from "../archive/archive-store.ts";
import { type ArchiveWriterDependencies, createArchiveWriter, type SealOfHour } from "../archive/archive-writer.ts";
import { endHours } from "../archive/end-hours.ts";
import { createEndedHourStore } from "../archive/ended-hour-store.ts";
import { createFeedWriter } from "../archive/feed-writer.ts";
import type { DueHoursDependencies } from "../archive/write-due-hours.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import { createObjectStore, s3 } from "../runtime/object-store.ts";
import { openTable } from "../runtime/open-table.ts";
import { createEvidenceStore } from "../sealing/evidence-store.ts";
import { createDueHourStore, type DueHourStore } from "../security/feed/due-hour-store.ts";
import { createHourEventsStore } from "../security/feed/hour-events-store.ts";
import { DAY_MS } from "../terms/hours.ts";
import { wireSettingsStore } from "./settings.ts";

/** Undefined if the deployment has no archive. */
export const wireArchiveSpan = (): ArchiveSpan | undefined => {
  const { ARCHIVE_MONTHS: months, RETENTION_DAYS: days } = readConfig(["ARCHIVE_MONTHS", "RETENTION_DAYS"]);
  return months === 0 ? undefined : { months, retentionMs: days * DAY_MS };
};

export type WiredArchive = ArchiveWriterDependencies & { archive: ArchiveStore };

const wireSealOf = (): SealOfHour => {
  const evidence = createEvidenceStore(openTable("evidence"), systemClock);
  let start: number | undefined;
  return async ({ scope, hour }) => {
    // Fixed at the first step.
    start ??= (await evidence.getState())?.start;
    if (start === undefined) return "later";
    return hour < start ? "never" : ((await evidence.getHour(scope, hour)) ?? "later");
  };
};

const wireArchiveObjects = () => {
  const { ARCHIVE_BUCKET: bucket } = readConfig(["ARCHIVE_BUCKET"]);
  return bucket === undefined ? undefined : createObjectStore(s3, bucket);
};

/** The archive of a function that only reads it; undefined if the deployment has none. */
export const wireArchiveReader = (): { archive: ArchiveStore; span: ArchiveSpan } | undefined => {
  const [objects, span] = [wireArchiveObjects(), wireArchiveSpan()];
  return objects && span && { archive: createArchiveStore(objects), span };
};

/** The archive of a function that writes it; undefined if the deployment has none. */
export const wireArchive = (): WiredArchive | undefined => {
  const reader = wireArchiveReader();
  return reader && { ...reader, sealOf: wireSealOf() };
};

/** To mark hours whose objects are due; undefined if the deployment has neither a feed nor an archive. */
export const wireDueHourStore = (): DueHourStore | undefined => {
  const config = readConfig(["FEED_BUCKET", "ARCHIVE_BUCKET"]);
  const hasObjects = config.FEED_BUCKET !== undefined || config.ARCHIVE_BUCKET !== undefined;
  return hasObjects ? createDueHourStore(openTable("securityRollups"), systemClock) : undefined;
};

const wireFeedWriter = () => {
  const { FEED_BUCKET: bucket, AWS_REGION: region } = readConfig(["FEED_BUCKET", "AWS_REGION"]);
  if (bucket === undefined) return undefined;
  const settings = wireSettingsStore();
  return createFeedWriter({
    objects: createObjectStore(s3, bucket),
    region,
    isSwitchedOn: async (organizationId) => (await settings.read(organizationId)).siemFeed,
  });
};

export const wireDueHours = (): DueHoursDependencies => {
  const config = readConfig(["EVENT_BUS_NAME"]);
  const rollups = openTable("securityRollups");
  const [archive, objects] = [wireArchive(), wireArchiveObjects()];
  const ending = archive &&
    objects && {
      objects,
      ended: createEndedHourStore(rollups),
      months: archive.span.months,
      now: systemClock,
    };
  return {
    events: createHourEventsStore(openTable("securityEvents")),
    // A failure of the feed must not keep events out of the archive.
    writers: [archive && createArchiveWriter(archive), wireFeedWriter()].filter((writer) => writer !== undefined),
    dueHours: createDueHourStore(rollups, systemClock),
    endHours: ending && ((remainingMs) => endHours(ending, remainingMs)),
    bus: createEventBus(eventBusClient, config.EVENT_BUS_NAME),
    now: systemClock,
  };
};
