/** What raises alerts, of a deployed function. */
import { randomBytes } from "node:crypto";
import { systemClock } from "../../runtime/clock.ts";
import { readConfig } from "../../runtime/config.ts";
import { documentClient } from "../../runtime/document-client.ts";
import { createEventBus, eventBusClient } from "../../runtime/event-bus.ts";
import { RANDOM_BYTES } from "../event-id.ts";
import { createAlertOutboxStore } from "./alert-outbox-store.ts";
import { createAlertPublisher } from "./alert-publisher.ts";
import { type AlertRaiser, createAlertRaiser } from "./alert-raiser.ts";
import { createAlertRaisingStore } from "./alert-raising-store.ts";

const random = () => randomBytes(RANDOM_BYTES);

/** @throws Error at cold start where the environment lacks a variable. */
export const wireAlertRaiser = (): AlertRaiser => {
  const config = readConfig(["SECURITY_ALERTS_TABLE_NAME", "EVENT_BUS_NAME", "RETENTION_DAYS"]);
  const { SECURITY_ALERTS_TABLE_NAME: tableName, RETENTION_DAYS: retentionDays } = config;
  return createAlertRaiser({
    store: createAlertRaisingStore(documentClient, tableName, { retentionDays, random }),
    publisher: createAlertPublisher({
      bus: createEventBus(eventBusClient, config.EVENT_BUS_NAME),
      outbox: createAlertOutboxStore(documentClient, tableName),
    }),
    now: systemClock,
    random,
  });
};
