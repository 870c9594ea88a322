import { type DynamoDBDocumentClient, type TransactWriteCommandInput, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { conditionalWrite, transactWithRetry } from "../runtime/conditional-write.ts";
import { getItem } from "../runtime/get-item.ts";
import { readPages } from "../runtime/read-pages.ts";
import { renderUpdate } from "../runtime/render-update.ts";
import { organizationKey } from "../terms/keys.ts";
import { MAX_IN_WINDOW, STORM_WINDOW_MS } from "./decide-hold.ts";
import type { DueNotification } from "./decide-notice.ts";
import { type Bundle, DELIVERY_LIFE_MS, type DeliveryRef, type StoredDelivery } from "./delivery.ts";
import type { SummarizedAlert } from "./messages/notification.ts";
import {
  deliveryKey,
  type HeldItem,
  heldKey,
  heldPrefix,
  type NoticeItem,
  noticeKey,
  parseHeldItem,
  parseNoticeItem,
  parseStormWindowItem,
  stormWindowKey,
} from "./notification-items.ts";

const MAX_ATTEMPTS = 8;

/** A window's item is of no use after its window, and after the longest delay of a bus event. */
const WINDOW_LIFE_MS = 24 * 3_600_000;

/** Epoch seconds. */
const expiryAfter = (at: number): number => Math.ceil((at + DELIVERY_LIFE_MS) / 1_000);

/** What is claimed: that `due` of the alert's `revision` is notified to the destination. `now`: epoch ms. */
export type NoticeClaim = {
  organizationId: string;
  destinationId: string;
  alert: { id: string; revision: number };
  due: DueNotification;
  now: number;
};

/** `claimed`: another event has claimed the same, or the end of the alert, before. `begun`: the bundle takes no more. */
export type ClaimResult = "written" | "claimed" | "begun";

export type NoticeStore = ReturnType<typeof createNoticeStore>;

/**
 * What was notified of each alert, and what waits for a summary; keys in notification-items.ts. A claim and what follows
 * from it are one transaction, so nothing is claimed that is not delivered. Times are epoch ms. All calls throw
 * DomainError `store_unavailable`.
 */
export const createNoticeStore = (client: DynamoDBDocumentClient, tableName: string) => {
  /**
   * Claims a level, or the end, of an alert. A notice that has expired counts until DynamoDB deletes it: then an alert
   * that still repeats is notified again.
   */
  const claimUpdate = (
    { organizationId, destinationId, alert, due: { claim }, now }: NoticeClaim,
    deliveryId: string,
  ) => ({
    Update: {
      TableName: tableName,
      Key: noticeKey(organizationId, destinationId, alert.id),
      ...renderUpdate({
        set: { [claim]: { deliveryId, revision: alert.revision }, ttl: expiryAfter(now) },
        condition: `attribute_not_exists(#${claim}) AND attribute_not_exists(#resolved)`,
        values: {},
      }),
    },
  });

  const write = async (items: NonNullable<TransactWriteCommandInput["TransactItems"]>): Promise<ClaimResult> => {
    const failed = await transactWithRetry(client, items);
    if (failed.size === 0) return "written";
    return failed.has(0) ? "claimed" : "begun";
  };

  return {
    /** What was notified of an alert; empty if nothing was. One read unit. */
    async read(organizationId: string, destinationId: string, alertId: string): Promise<NoticeItem> {
      const item = await getItem(client, tableName, noticeKey(organizationId, destinationId, alertId));
      return item === undefined ? {} : parseNoticeItem(item);
    },

    /**
     * Takes one of the places for single notifications in the storm window, or begins the next window. The same delivery
     * takes one place, however often it asks. One write unit, two at the beginning of a window.
     * @returns undefined if there is a place, otherwise when the window began that is full.
     */
    async takePlace(
      organizationId: string,
      { destinationId, deliveryId }: DeliveryRef,
      now: number,
    ): Promise<number | undefined> {
      const update = (change: Parameters<typeof renderUpdate>[0]) => {
        const command = new UpdateCommand({
          TableName: tableName,
          Key: stormWindowKey(organizationId, destinationId),
          ...renderUpdate(change),
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        });
        return conditionalWrite((options) => client.send(command, options));
      };
      const ids = new Set([deliveryId]);
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
        const joined = await update({
          ...{ set: {}, add: { ids } },
          condition: "#startedAt > :ended AND (contains(#ids, :id) OR size(#ids) < :most)",
          values: { ended: now - STORM_WINDOW_MS, id: deliveryId, most: MAX_IN_WINDOW },
        });
        if (joined.written) return undefined;
        const window =
          joined.item === undefined || Object.keys(joined.item).length === 0
            ? undefined
            : parseStormWindowItem(joined.item);
        if (window !== undefined && window.startedAt > now - STORM_WINDOW_MS) return window.startedAt;
        const begun = await update({
          set: { startedAt: now, ids, ttl: Math.ceil((now + WINDOW_LIFE_MS) / 1_000) },
          condition: window === undefined ? "attribute_not_exists(#startedAt)" : "#startedAt = :ended",
          values: window === undefined ? {} : { ended: window.startedAt },
        });
        if (begun.written) return undefined;
      }
      throw new Error("The storm window changes too fast.");
    },

    /** Claims a notification and stores its delivery. About eight write units. */
    deliver: (claim: NoticeClaim, deliveryId: string, notification: string): Promise<ClaimResult> => {
      const { organizationId, destinationId, alert, due, now } = claim;
      const delivery = {
        ...{ destinationId, deliveryId, type: `security.alert.${due.change}`, status: "pending", createdAt: now },
        ...{ notification, alertId: alert.id, attempts: [], tries: 0, ttl: expiryAfter(now) },
      } as const satisfies StoredDelivery;
      const Item = { ...deliveryKey(organizationId, delivery), ...delivery };
      return write([claimUpdate(claim, deliveryId), { Put: { TableName: tableName, Item } }]);
    },

    /** Whether the delivery of a bundle is stored, so that its message was sent or is about to be. One read unit. */
    async hasBundle(organizationId: string, ref: DeliveryRef): Promise<boolean> {
      const key = { ProjectionExpression: "#key", ExpressionAttributeNames: { "#key": "key" } };
      return (await getItem(client, tableName, deliveryKey(organizationId, ref), key)) !== undefined;
    },

    /**
     * Claims a notification and holds it in a bundle, which the first one creates. A bundle that has begun to be sent
     * takes no more. About ten write units.
     */
    hold: (
      claim: NoticeClaim,
      bundle: { deliveryId: string; reason: Bundle["reason"]; dueAt: number },
      { at, entry }: { at: number; entry: SummarizedAlert },
    ): Promise<ClaimResult> => {
      const { organizationId, destinationId, alert, due, now } = claim;
      const { deliveryId, reason, dueAt } = bundle;
      const ref = { destinationId, deliveryId };
      const ttl = expiryAfter(dueAt);
      const delivery = {
        ...ref,
        ...{ type: "security.alerts.summary", status: "pending", createdAt: now, bundle: { reason, from: now } },
        ...{ notBefore: dueAt, attempts: [], tries: 0, ttl },
      } as const satisfies StoredDelivery;
      const held = {
        ...heldKey(organizationId, ref, { alertId: alert.id, claim: due.claim }),
        ...{ change: due.change, at, entry: JSON.stringify(entry), ttl },
      };
      return write([
        claimUpdate(claim, deliveryId),
        {
          Update: {
            TableName: tableName,
            Key: deliveryKey(organizationId, ref),
            ...renderUpdate({
              set: {},
              setOnce: delivery,
              condition: "attribute_not_exists(#begunAt) AND (attribute_not_exists(#status) OR #status = :pending)",
              values: { pending: "pending" },
            }),
          },
        },
        { Put: { TableName: tableName, Item: held } },
      ]);
    },

    /** The notifications of a bundle, in no useful order. One read unit per 4 KB; read after the bundle has begun. */
    async *held(organizationId: string, bundle: DeliveryRef): AsyncGenerator<HeldItem, void, void> {
      const pages = readPages(client, {
        TableName: tableName,
        KeyConditionExpression: "#scope = :scope AND begins_with(#key, :prefix)",
        ExpressionAttributeNames: { "#scope": "scope", "#key": "key" },
        ExpressionAttributeValues: { ":scope": organizationKey(organizationId), ":prefix": heldPrefix(bundle) },
        ConsistentRead: true,
      });
      for await (const page of pages) for (const item of page) yield parseHeldItem(item);
    },
  };
};
