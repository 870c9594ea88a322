/** The fire drills of deployed functions. All throw Error at cold start if the environment lacks a variable. */
import { createDrillStore } from "../drills/drill-store.ts";
import { createReadLastDrill } from "../drills/last-drill.ts";
import { createReadDrill, createSettleDrill } from "../drills/read-drill.ts";
import { createRequestDrill, createStartDrill } from "../drills/request-drill.ts";
import { createRunDrill } from "../drills/run-drill.ts";
import { createRunDrills } from "../drills/run-due-drills.ts";
import { createNotificationDeliveryStore } from "../notifications/delivery-store.ts";
import { createDestinationStore } from "../notifications/destination-store.ts";
import { createNoticeStore } from "../notifications/notice-store.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { openTable } from "../runtime/open-table.ts";
import { createRaiseForDrill } from "../security/alerts/drill-raiser.ts";
import { wireRaising, wireRecorder } from "./recorder.ts";
import { wireFindAlert, wireSecurityEventStore } from "./security.ts";
import { wireSettingsStore } from "./settings.ts";

const wireDrillStore = () => {
  const { RETENTION_DAYS: retentionDays } = readConfig(["RETENTION_DAYS"]);
  return createDrillStore(openTable("drills"), { retentionDays, newToken: newRequestToken });
};

const wireDrills = () => {
  const drills = wireDrillStore();
  const settle = createSettleDrill({
    drills,
    notices: createNoticeStore(openTable("notifications")),
    deliveries: createNotificationDeliveryStore(openTable("notifications")),
    now: systemClock,
  });
  return { drills, settle, now: systemClock };
};

export const wireRequestDrill = () => {
  const drills = wireDrills();
  return createRequestDrill({
    drills: drills.drills,
    start: createStartDrill(drills),
    recorder: wireRecorder(),
    bus: createEventBus(eventBusClient, readConfig(["EVENT_BUS_NAME"]).EVENT_BUS_NAME),
  });
};

export const wireReadDrill = () => createReadDrill({ ...wireDrills(), findAlert: wireFindAlert() });

export const wireReadLastDrill = () => createReadLastDrill({ ...wireDrills(), findAlert: wireFindAlert() });

export const wireRunDrills = () => {
  const drills = wireDrills();
  const run = createRunDrill({
    ...drills,
    recorder: wireRecorder(),
    readEvents: wireSecurityEventStore().readStored,
    raiseAlert: createRaiseForDrill({ ...wireRaising(), now: systemClock }),
    destinations: createDestinationStore(openTable("notifications")),
  });
  const monthlyOrganizations = wireSettingsStore().organizationsWithDrill;
  return createRunDrills({ ...drills, run, start: createStartDrill(drills), monthlyOrganizations });
};
