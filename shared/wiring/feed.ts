/** The feed for a SIEM in a deployed function. Throws Error at cold start if the environment lacks a variable. */

import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import { createObjectStore, s3 } from "../runtime/object-store.ts";
import { openTable } from "../runtime/open-table.ts";
import { createDueHourStore } from "../security/feed/due-hour-store.ts";
import { createHourEventsStore } from "../security/feed/hour-events-store.ts";
import type { FeedDependencies } from "../security/feed/write-feed.ts";
import { wireSettingsStore } from "./settings.ts";

export const wireFeed = (): FeedDependencies => {
  const config = readConfig(["EVENT_BUS_NAME", "FEED_BUCKET", "AWS_REGION"]);
  if (config.FEED_BUCKET === undefined) throw new Error("The deployment has no feed: FEED_BUCKET is empty.");
  const settings = wireSettingsStore();
  return {
    events: createHourEventsStore(openTable("securityEvents")),
    objects: createObjectStore(s3, config.FEED_BUCKET),
    region: config.AWS_REGION,
    dueHours: createDueHourStore(openTable("securityRollups"), systemClock),
    isSwitchedOn: async (organizationId) => (await settings.read(organizationId)).siemFeed,
    bus: createEventBus(eventBusClient, config.EVENT_BUS_NAME),
    now: systemClock,
  };
};
