/** A dispatcher of notifications over a real engine, with a queue and a sender of summaries that tests control. */

import { randomUUID } from "node:crypto";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { createHiddenStore } from "../../shared/mutes/hidden-store.ts";
import { createMuteStore } from "../../shared/mutes/mute-store.ts";
import type { DeliveryMessage, StoredDelivery } from "../../shared/notifications/delivery.ts";
import { createNotificationDeliveryStore } from "../../shared/notifications/delivery-store.ts";
import type { Destination } from "../../shared/notifications/destination.ts";
import { createDestinationStore } from "../../shared/notifications/destination-store.ts";
import { createNotificationDispatcher, type Notifiable } from "../../shared/notifications/dispatch.ts";
import { createNoticeStore, type NoticeStore } from "../../shared/notifications/notice-store.ts";
import {
  deliveryKey,
  destinationKey,
  type HeldItem,
  parseDeliveryItem,
  parseStormWindowItem,
  stormWindowKey,
} from "../../shared/notifications/notification-items.ts";
import type { Queue, QueueMessage } from "../../shared/runtime/queue.ts";
import { createTable, getItem, updateItem } from "../../shared/runtime/table.ts";
import type { Alert, AlertChange } from "../../shared/security/alerts/alert.ts";
import { alertHash, alertId } from "../../shared/security/alerts/alert-item.ts";
import type { SecurityAlertChanged } from "../../shared/security/alerts/alert-publisher.ts";
import { startTables } from "./service-tables.ts";

const TABLE = "notifications";
/** Of the stores of mutes. */
export const MUTE_OPTIONS = { retentionDays: 90, newToken: randomUUID };
export const CONSOLE_URL = "https://api.example/console";
export const NOON = Date.UTC(2026, 10, 21, 12);

export const startNotificationTable = async () => {
  const database = await startTables(TABLE, "mutes");
  return { ...database, translated: () => database.documentClient() };
};

export const destinationAt = (id: string, changes: Partial<Destination> = {}): Destination => ({
  id,
  type: "webhook",
  name: id,
  target: "https://example.com",
  status: "active",
  filter: {},
  createdAt: NOON - 1_000,
  createdBy: "ada",
  changedAt: NOON - 1_000,
  changedBy: "ada",
  ...changes,
});

/** The bus event of an alert's change. `n`: the alert's name. */
export const changeOf = (
  n: string,
  {
    change = "raised",
    at = NOON,
    organizationId = "acme",
    ...alert
  }: Partial<Alert> & {
    change?: AlertChange;
    at?: number;
    organizationId?: string | undefined;
  } = {},
): SecurityAlertChanged => ({
  version: 1,
  change,
  at,
  ...(organizationId !== undefined && { organizationId }),
  alert: {
    id: alertId(alertHash("finding", "system_errors", n), NOON, new Uint8Array(16)),
    title: `Alert ${n}`,
    level: "HIGH",
    rule: "system_errors",
    subject: n,
    status: "open",
    count: 1,
    revision: 1,
    firstSeen: NOON,
    lastSeen: at,
    eventIds: [],
    ...alert,
  },
});

/** What a single delivery or a summary says. */
export type Sent = { delivery: StoredDelivery; held: HeldItem[] };

/** @param client of the dispatcher; faults may be planted in it. @param direct a client without faults. */
export const createNotificationWorld = (
  direct: DynamoDBDocumentClient,
  { organizationId = "acme", client = direct }: { organizationId?: string; client?: DynamoDBDocumentClient } = {},
) => {
  const time = { now: NOON };
  const messages: (QueueMessage & { body: DeliveryMessage; sentAt: number })[] = [];
  /** By id; undefined for an erased alert. Other alerts are stored as their last event shows them. */
  const storedAlerts = new Map<string, Alert | undefined>();
  const faults = { queue: (): "lost" | "refused" | undefined => undefined };
  const stores = createNoticeStore(createTable(direct, TABLE));
  const queue: Pick<Queue, "send"> = {
    async send(sent) {
      const fault = faults.queue();
      if (fault !== "refused")
        messages.push(...sent.map((one) => ({ ...one, body: one.body as DeliveryMessage, sentAt: time.now })));
      return fault === undefined ? [] : sent.map((message) => ({ message, reason: fault }));
    },
  };
  /** A dispatcher as an instance of the function has it. */
  const newDispatcher = (notices: NoticeStore = createNoticeStore(createTable(client, TABLE))) => {
    const shown = new Map<string, Alert>();
    const dispatch = createNotificationDispatcher({
      notices,
      queue,
      consoleUrl: CONSOLE_URL,
      now: () => time.now,
      mutes: {
        ...createMuteStore(createTable(client, "mutes"), MUTE_OPTIONS),
        ...createHiddenStore(createTable(client, "mutes"), MUTE_OPTIONS),
      },
      destinations: createDestinationStore(createTable(client, TABLE)),
      deliveries: createNotificationDeliveryStore(createTable(client, TABLE)),
      alerts: { find: async (_, id) => (storedAlerts.has(id) ? storedAlerts.get(id) : shown.get(id)) },
    });
    return (event: Notifiable): Promise<void> => {
      if ("alert" in event) shown.set(event.alert.id, event.alert);
      return dispatch(event);
    };
  };
  const sent = new Map<string, Sent>();

  return {
    organizationId,
    time,
    messages,
    storedAlerts,
    faults,
    stores,
    queue,
    sent,
    newDispatcher,
    notices: createNoticeStore(createTable(client, TABLE)),

    async addDestination(destination: Destination): Promise<void> {
      const item = { ...destinationKey(organizationId, destination.id), ...destination };
      const hidden = { sealed: new Uint8Array([1]), version: "v" };
      await direct.send(new PutCommand({ TableName: TABLE, Item: { ...item, ...hidden } }));
    },

    async addItem(key: object, item: object): Promise<void> {
      await direct.send(new PutCommand({ TableName: TABLE, Item: { ...item, ...key } }));
    },

    /** When the storm window of a destination began. */
    async windowOf(destinationId: string): Promise<number> {
      const stored = await getItem(
        createTable<"notifications">(direct, TABLE),
        stormWindowKey(organizationId, destinationId),
      );
      return parseStormWindowItem(stored).startedAt;
    },

    /** Sends the deliveries that are due, as the sender does: a summary begins, and then reads what it holds. */
    async sendDue(): Promise<void> {
      for (const { body } of messages.splice(0)) {
        const Key = deliveryKey(body.organizationId, body);
        const stored = await getItem(createTable<"notifications">(direct, TABLE), Key);
        if (stored === undefined) throw new Error("There is a message without a delivery.");
        const delivery = parseDeliveryItem(stored);
        const ref = `${body.destinationId} ${body.deliveryId}`;
        if (sent.has(ref)) continue;
        if ((delivery.notBefore ?? 0) > time.now) {
          messages.push({ body, sentAt: time.now });
          continue;
        }
        await updateItem(createTable<"notifications">(direct, TABLE), Key, {
          set: { begunAt: time.now },
          condition: "#status = :pending",
          values: { pending: "pending" },
        });
        const held: HeldItem[] = [];
        for await (const one of stores.held(organizationId, body)) held.push(one);
        sent.set(ref, { delivery, held });
      }
    },
  };
};
export type NotificationWorld = ReturnType<typeof createNotificationWorld>;
