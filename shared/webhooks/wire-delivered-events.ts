/** What the sync of a deployed function asks of webhooks. */
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { createDeliveredEvents, type DeliveredEvents } from "./delivered-event-store.ts";

/** @throws Error at cold start where the environment lacks a variable. */
export const wireDeliveredEvents = (): DeliveredEvents =>
  createDeliveredEvents(documentClient, readConfig(["WEBHOOK_EVENTS_TABLE_NAME"]).WEBHOOK_EVENTS_TABLE_NAME);
