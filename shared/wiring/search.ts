/** The search in a deployed function. @throws Error at cold start if the environment lacks a variable. */

import { createNotificationDeliveryStore } from "../notifications/delivery-store.ts";
import { createCustomerSearchStore } from "../records/customer-search-store.ts";
import { openTable } from "../runtime/open-table.ts";
import { createSearch } from "../search/search.ts";
import { createDeliveryStore } from "../webhooks/delivery-store.ts";
import { wireRecordLists } from "./records.ts";
import { wireAlertStore, wireSecurityEventStore } from "./security.ts";
import { wireSettingsStore } from "./settings.ts";
import { wireSyncRunStore } from "./sync.ts";

export const wireSearch = () =>
  createSearch({
    settings: wireSettingsStore(),
    events: wireSecurityEventStore(),
    alerts: wireAlertStore(),
    runs: wireSyncRunStore(),
    webhooks: createDeliveryStore(openTable("webhookEvents")),
    deliveries: createNotificationDeliveryStore(openTable("notifications")),
    records: wireRecordLists(),
    customers: createCustomerSearchStore(openTable("records")),
  });
