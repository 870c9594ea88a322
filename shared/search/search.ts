/**
 * GET …/search: looks a text up wherever it may be an exact id, a user or an address, and among the beginnings of
 * customers' names and e-mail addresses. Each look-up reads keys or the beginning of one index. Decisions: docs/search.md.
 */
import { isIP } from "node:net";
import { parsePublicDeliveryId } from "../notifications/delivery.ts";
import type { NotificationDeliveryStore } from "../notifications/delivery-store.ts";
import type { CustomerSearchStore } from "../records/customer-search-store.ts";
import type { RecordType } from "../records/record.ts";
import { isStorable } from "../records/record-item.ts";
import type { RecordListStore } from "../records/record-list-store.ts";
import type { SyncedRecord } from "../records/synced-record.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { ALERT_PATH } from "../security/alerts/alert.ts";
import type { AlertStore } from "../security/alerts/alert-store.ts";
import { titleOfEvent } from "../security/alerts/event-title.ts";
import { EVENT_PATH } from "../security/security-event.ts";
import type { SecurityEventStore } from "../security/security-event-store.ts";
import { describeCaller } from "../settings/caller-access.ts";
import type { Settings } from "../settings/settings.ts";
import type { SyncRun } from "../sync/sync-run.ts";
import type { OrganizationCaller } from "../terms/caller.ts";
import { isId } from "../terms/id.ts";
import type { DeliveryStore } from "../webhooks/delivery-store.ts";
import { foundRecord } from "./found-record.ts";
import { MAX_RESULTS, type SearchResult } from "./search-result.ts";

const API = "/api/integrations/provider";

export type SearchDependencies = {
  settings: { read(organizationId: string): Promise<Settings> };
  events: Pick<SecurityEventStore, "get" | "list">;
  alerts: Pick<AlertStore, "get">;
  runs: { find(organizationId: string, id: string, now: number): Promise<SyncRun | undefined> };
  webhooks: Pick<DeliveryStore, "read">;
  deliveries: Pick<NotificationDeliveryStore, "read">;
  records: Pick<RecordListStore, "list">;
  customers: CustomerSearchStore;
};

/** What a search found, and the types of the records in it. */
export type Found = { results: SearchResult[]; recordTypes: RecordType[] };

const NOT_FOUND = ["event_not_found", "alert_not_found"];

/** Undefined in place of an error that says that the id is unknown. */
const ifFound = async <Thing>(read: Promise<Thing>): Promise<Thing | undefined> => {
  try {
    return await read;
  } catch (error) {
    if (error instanceof DomainError && NOT_FOUND.includes(error.code)) return undefined;
    throw error;
  }
};

const listed = (result: SearchResult | undefined | false): SearchResult[] => (result ? [result] : []);

export const createSearch = (dependencies: SearchDependencies) => {
  const { settings, events, alerts, runs, webhooks, deliveries, records, customers } = dependencies;

  /** Events, alerts, users and addresses. A user is one with events; an address is any that the text may be. */
  const findSecurity = async (organizationId: string, q: string, now: number): Promise<SearchResult[]> => {
    const [event, alert, ofUser] = await Promise.all([
      ifFound(events.get(organizationId, q, now)),
      ifFound(alerts.get(organizationId, q, now)),
      events.list({ organizationId, since: 0, userId: q }, { limit: 1, after: undefined, now }),
    ]);
    const text = encodeURIComponent(q.toWellFormed());
    return [
      ...listed(event && { kind: "event", id: q, title: titleOfEvent(event), href: EVENT_PATH.replace("{id}", text) }),
      ...listed(alert && { kind: "alert", id: q, title: alert.title, href: ALERT_PATH.replace("{id}", text) }),
      ...listed(ofUser.events.length > 0 && { kind: "user", id: q, title: q, href: `${API}/security?userId=${text}` }),
      ...listed(isIP(q) !== 0 && { kind: "address", id: q, title: q, href: `${API}/security?ipAddress=${text}` }),
    ];
  };

  const findWork = async (organizationId: string, q: string, now: number): Promise<SearchResult[]> => {
    if (!isId(q)) return [];
    const [run, webhook] = await Promise.all([
      runs.find(organizationId, q, now),
      webhooks.read({ organizationId, id: q }, now),
    ]);
    return [
      ...listed(run && { kind: "run", id: q, title: `Sync run, ${run.mode}, ${run.status}`, href: `${API}/sync` }),
      ...listed(webhook && { kind: "webhook", id: q, title: `Webhook ${webhook.type}`, href: `${API}/webhooks` }),
    ];
  };

  const findDelivery = async (organizationId: string, q: string, now: number): Promise<SearchResult[]> => {
    const ref = parsePublicDeliveryId(q);
    const delivery = ref && (await deliveries.read(organizationId, ref, now));
    const href = `${API}/notifications/${ref?.destinationId}/deliveries`;
    return listed(
      delivery && { kind: "delivery", id: q, title: `Delivery ${delivery.type}, ${delivery.status}`, href },
    );
  };

  const findRecords = async (
    organizationId: string,
    q: string,
    types: readonly RecordType[],
  ): Promise<SyncedRecord[]> => {
    const [exact, byBeginning] = await Promise.all([
      Promise.all(
        types
          .filter((type) => isStorable({ type, id: q }))
          .map((type) => records.list(organizationId, type, { id: q }, { limit: 1, after: undefined })),
      ),
      types.includes("customers") ? customers.find(organizationId, q, MAX_RESULTS) : [],
    ]);
    const found = [...exact.flatMap(({ items }) => items), ...byBeginning];
    return found.filter(
      (record, i) => found.findIndex(({ id, type }) => id === record.id && type === record.type) === i,
    );
  };

  /**
   * At most 20 things that the caller may read: exact ids, then users and addresses, then records.
   * @throws DomainError `store_unavailable`.
   */
  return async (caller: OrganizationCaller, q: string, now: number): Promise<Found> => {
    const { organizationId } = caller;
    const { permissions, recordTypes } = describeCaller(caller, await settings.read(organizationId));
    const may = (permission: (typeof permissions)[number]) => permissions.includes(permission);
    const [security, work, delivery, found] = await Promise.all([
      may("security:read") ? findSecurity(organizationId, q, now) : [],
      may("status:read") ? findWork(organizationId, q, now) : [],
      may("settings:manage") ? findDelivery(organizationId, q, now) : [],
      findRecords(organizationId, q, recordTypes),
    ]);
    const others = [...security, ...work, ...delivery];
    const shown = found.slice(0, MAX_RESULTS - others.length);
    return {
      results: [...others, ...shown.map(foundRecord)],
      recordTypes: [...new Set(shown.map(({ type }) => type))],
    };
  };
};
