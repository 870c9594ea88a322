import { definedFields } from "../json/defined-fields.ts";
import { MAX_MUTE_MS } from "../mutes/longest-mute.ts";
import { deleteItem, getItem, type Table, unchanged, updateItem } from "../runtime/table.ts";
import { queryPage, queryPages } from "../runtime/table-query.ts";
import { putPart, type TransactItem, transact, updatePart } from "../runtime/table-transaction.ts";
import { organizationKey } from "../terms/keys.ts";
import type { RiskLevel } from "../terms/risk-levels.ts";
import { MAX_IN_WINDOW, placesOf, STORM_WINDOW_MS, stormPlaces } from "./decide-hold.ts";
import type { DueNotification } from "./decide-notice.ts";
import { type Bundle, type DeliveryRef, expiryAfter, newDelivery } from "./delivery.ts";
import type { SummarizedAlert } from "./messages/notification.ts";
import {
  claimsBeforeEnd,
  deliveryKey,
  type HeldItem,
  heldKey,
  heldPrefix,
  isNotified,
  type NoticeItem,
  noticeKey,
  parseHeldItem,
  parseNoticeItem,
  parseSilencing,
  parseStormWindowItem,
  silencedKey,
  silencedPrefix,
  stormWindowKey,
} from "./notification-items.ts";
import type { Silencing } from "./silencing.ts";

const MAX_ATTEMPTS = 8;

/** Silencings that one event of their alert dispatches; the next event dispatches further ones. */
const MAX_SILENCINGS = 20;

/** A window's item outlives its window by the longest delay of a bus event. Then nothing reads it. */
const WINDOW_LIFE_MS = 24 * 3_600_000;

/** When a notice that is written now expires, epoch seconds: as long after the end of each mute that acts now as a delivery. */
const noticeExpiry = (now: number): number => expiryAfter(now + MAX_MUTE_MS);

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

/** The alert of a notice. `now`: epoch ms. */
type NoticeRef = Pick<NoticeClaim, "organizationId" | "destinationId" | "alert" | "now">;

const IS_NOTIFIED = claimsBeforeEnd.map((claim) => `attribute_exists(#${claim})`).join(" OR ");

export type NoticeStore = ReturnType<typeof createNoticeStore>;

/**
 * What was notified of each alert, and what waits for a summary; keys in notification-items.ts. A claim and what follows
 * from it are one transaction, so nothing is claimed that is not delivered. Times are epoch ms. All calls throw
 * DomainError `store_unavailable`.
 */
export const createNoticeStore = (table: Table<"notifications">) => {
  /**
   * Claims a level, or the end, of an alert. A notice that has expired counts until DynamoDB deletes it: then an alert
   * that still repeats is notified again.
   */
  const claimUpdate = (
    { organizationId, destinationId, alert, due: { claim }, now }: NoticeClaim,
    deliveryId: string | undefined,
  ) =>
    updatePart(table, noticeKey(organizationId, destinationId, alert.id), {
      set: { [claim]: definedFields({ deliveryId, revision: alert.revision }), ttl: noticeExpiry(now) },
      condition: [
        `attribute_not_exists(#${claim}) AND attribute_not_exists(#resolved)`,
        // A mute may have withheld the raising since the notice was read.
        ...(claim === "resolved" ? [`(attribute_not_exists(#isWithheld) OR ${IS_NOTIFIED})`] : []),
      ].join(" AND "),
    });

  const write = async (parts: readonly TransactItem[]): Promise<ClaimResult> => {
    const failed = await transact(table, parts);
    if (failed.size === 0) return "written";
    return failed.has(0) ? "claimed" : "begun";
  };

  return {
    /** What was notified of an alert; empty if nothing was. One read unit. */
    async read(organizationId: string, destinationId: string, alertId: string): Promise<NoticeItem> {
      const item = await getItem(table, noticeKey(organizationId, destinationId, alertId));
      return item === undefined ? {} : parseNoticeItem(item);
    },

    /**
     * Takes one of the level's places for single notifications in the storm window, or begins the next window. The same
     * delivery takes one place, however often it asks. One write unit, two at the beginning of a window.
     * @returns undefined if there is a place, otherwise when the window began that is full.
     */
    async takePlace(
      organizationId: string,
      { destinationId, deliveryId }: DeliveryRef,
      { level, now }: { level: RiskLevel; now: number },
    ): Promise<number | undefined> {
      const key = stormWindowKey(organizationId, destinationId);
      const places = placesOf(level);
      const own = { [places]: new Set([deliveryId]) };
      const hasPlace = `(attribute_not_exists(#${places}) OR contains(#${places}, :id) OR size(#${places}) < :most)`;
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
        const joined = await updateItem(table, key, {
          add: own,
          condition: `#startedAt > :ended AND ${hasPlace}`,
          values: { ended: now - STORM_WINDOW_MS, id: deliveryId, most: MAX_IN_WINDOW },
        });
        if (joined.written) return undefined;
        const startedAt =
          joined.item?.startedAt === undefined ? undefined : parseStormWindowItem(joined.item).startedAt;
        if (startedAt !== undefined && startedAt > now - STORM_WINDOW_MS) return startedAt;
        const begun = await updateItem(table, key, {
          set: { startedAt: now, ...own, ttl: Math.ceil((now + WINDOW_LIFE_MS) / 1_000) },
          remove: stormPlaces.filter((other) => other !== places),
          ...unchanged("startedAt", startedAt),
        });
        if (begun.written) return undefined;
      }
      throw new Error("The storm window changes too fast.");
    },

    /** Claims a notification and stores its delivery. About eight write units. */
    deliver: (claim: NoticeClaim, deliveryId: string, notification: string): Promise<ClaimResult> => {
      const { organizationId, destinationId, alert, due, now } = claim;
      const type = `security.alert.${due.change}` as const;
      const ref = { destinationId, deliveryId };
      const delivery = newDelivery(ref, { type, createdAt: now, notification, alertId: alert.id });
      const item = { ...deliveryKey(organizationId, delivery), ...delivery };
      return write([claimUpdate(claim, deliveryId), putPart(table, item)]);
    },

    /**
     * Notes that a mute withholds a raising or a rise. It and the claim of the end exclude each other, so the end of the alert
     * is not sent where the raising is withheld, whichever event is dispatched first. One write unit, none if what is noted
     * outlives each mute that acts now.
     * @param notice as it was read. @returns false if the end was claimed since.
     */
    async withhold(
      { organizationId, destinationId, alert, now }: Omit<NoticeRef, "alert"> & { alert: { id: string } },
      notice: NoticeItem,
    ): Promise<boolean> {
      const isNoted = notice.isWithheld || isNotified(notice);
      if (isNoted && (notice.ttl ?? 0) * 1_000 >= now + MAX_MUTE_MS) return true;
      const { written } = await updateItem(table, noticeKey(organizationId, destinationId, alert.id), {
        set: { isWithheld: true, ttl: noticeExpiry(now) },
        condition: "attribute_not_exists(#resolved)",
      });
      return written;
    },

    /**
     * Claims the end of an alert without a notification. One write unit.
     * @returns false if the alert was notified since.
     */
    async dropEnd({ organizationId, destinationId, alert, now }: NoticeRef): Promise<boolean> {
      const { written } = await updateItem(table, noticeKey(organizationId, destinationId, alert.id), {
        setOnce: { resolved: { revision: alert.revision } },
        set: { ttl: noticeExpiry(now) },
        condition: `NOT (${IS_NOTIFIED})`,
      });
      return written;
    },

    /** Whether the queue has taken the message of a bundle. One read unit. */
    async isBundleQueued(organizationId: string, ref: DeliveryRef): Promise<boolean> {
      const item = await getItem(table, deliveryKey(organizationId, ref), { attributes: ["isQueued"] });
      return item?.isQueued === true;
    },

    /** Notes that the queue has taken the message of a bundle. One write unit. */
    async noteBundleQueued(organizationId: string, ref: DeliveryRef): Promise<void> {
      const key = deliveryKey(organizationId, ref);
      await updateItem(table, key, { set: { isQueued: true }, condition: "attribute_exists(#key)" });
    },

    /**
     * Claims a notification and holds it in a bundle, which the first one creates. A bundle that has begun to be sent
     * takes no more. About ten write units.
     * @param bundle.from the beginning of the time that the bundle is about, epoch ms; the first notification sets it.
     */
    hold: (
      claim: NoticeClaim,
      bundle: Bundle & { deliveryId: string; dueAt: number },
      { at, entry }: { at: number; entry: SummarizedAlert },
    ): Promise<ClaimResult> => {
      const { organizationId, destinationId, alert, due, now } = claim;
      const { deliveryId, reason, from, dueAt } = bundle;
      const ref = { destinationId, deliveryId };
      const ttl = expiryAfter(dueAt);
      const delivery = newDelivery(ref, {
        type: "security.alerts.summary",
        createdAt: now,
        bundle: { reason, from },
        notBefore: dueAt,
        ttl,
      });
      const held = {
        ...heldKey(organizationId, ref, { alertId: alert.id, claim: due.claim }),
        change: due.change,
        at,
        entry: JSON.stringify(entry),
        ttl,
      };
      return write([
        // Events that come again send the message of their claim. They must not send a mute's summary before all are in it.
        claimUpdate(claim, reason === "mute_ended" ? undefined : deliveryId),
        updatePart(table, deliveryKey(organizationId, ref), {
          setOnce: delivery,
          condition: "attribute_not_exists(#begunAt) AND (attribute_not_exists(#status) OR #status = :pending)",
          values: { pending: "pending" },
        }),
        putPart(table, held),
      ]);
    },

    /** The silencings of a destination that are not dispatched yet, oldest first. One read unit, and often half of one. */
    async silencings(organizationId: string, destinationId: string): Promise<Silencing[]> {
      const where = "#scope = :scope AND begins_with(#key, :prefix)";
      const values = { scope: organizationKey(organizationId), prefix: silencedPrefix(destinationId) };
      return (await queryPage(table, { where, values, isConsistent: true }, MAX_SILENCINGS)).items.map(parseSilencing);
    },

    async forgetSilencing(organizationId: string, silencing: Silencing): Promise<void> {
      await deleteItem(table, silencedKey(organizationId, silencing));
    },

    /** The notifications of a bundle, in no useful order. One read unit per 4 KB; read after the bundle has begun. */
    async *held(organizationId: string, bundle: DeliveryRef): AsyncGenerator<HeldItem, void, void> {
      const pages = queryPages(table, {
        where: "#scope = :scope AND begins_with(#key, :prefix)",
        values: { scope: organizationKey(organizationId), prefix: heldPrefix(bundle) },
        isConsistent: true,
      });
      for await (const page of pages) for (const item of page) yield parseHeldItem(item);
    },
  };
};
