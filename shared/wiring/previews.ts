/** The requests for previews in deployed functions. All throw Error at cold start if the environment lacks a variable. */
import { createCustomRuleStore } from "../detection/custom-rules/custom-rule-store.ts";
import { createWindowStore } from "../detection/window-store.ts";
import { createPreviewStore } from "../previews/preview-store.ts";
import { createRequestPreview, type RequestPreview } from "../previews/request-preview.ts";
import type { ResumePreviewsDependencies } from "../previews/resume-previews.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import { openTable } from "../runtime/open-table.ts";
import { createCountEvents } from "../security/statistics/count-selection.ts";
import { createEventCountStore } from "../security/statistics/event-count-store.ts";
import { createOpenHourStore } from "../security/statistics/open-hour-store.ts";
import { createRollupStore } from "../security/statistics/rollup-store.ts";

export const wirePreviewStore = () => createPreviewStore(openTable("previews"));

const wireBus = () => createEventBus(eventBusClient, readConfig(["EVENT_BUS_NAME"]).EVENT_BUS_NAME);

export const wireRequestPreview = (): RequestPreview => {
  const { RETENTION_DAYS: retentionDays } = readConfig(["RETENTION_DAYS"]);
  return createRequestPreview({
    previews: wirePreviewStore(),
    customRules: createCustomRuleStore(openTable("detection")),
    windows: createWindowStore(openTable("detection"), { retentionDays }),
    countEvents: createCountEvents({
      openHours: createOpenHourStore(openTable("securityRollups"), systemClock),
      rollups: createRollupStore(openTable("securityRollups")),
      events: createEventCountStore(openTable("securityEvents")),
    }),
    bus: wireBus(),
    retentionDays,
  });
};

export const wireResumePreviews = (): ResumePreviewsDependencies => ({
  previews: wirePreviewStore(),
  bus: wireBus(),
  clock: systemClock,
});
