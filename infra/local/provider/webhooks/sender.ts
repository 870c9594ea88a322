import type { Activity } from "../../core/activity.ts";
import type { Platform } from "../../core/platform.ts";
import type { Delivery } from "../store/delivery-table.ts";
import type { NewEvent } from "../store/event-table.ts";
import type { Store } from "../store/store.ts";
import { type Endpoint, openEndpoints, openRegisteredEndpoints, platformEndpoint, type Target } from "./endpoint.ts";
import { postEvent } from "./post-event.ts";
import { queueDeliveries } from "./queue-deliveries.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The delays between attempts, on the local cloud's clock; the last delay repeats. */
const PAUSES_MS = [10_000, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 12 * HOUR];
/** After this time an event is given up, and its endpoint is disabled. */
const GIVE_UP_AFTER_MS = 72 * HOUR;
const MAX_UNDER_WAY = 8;
/** The bounds of a timer; a long timer is split, because the machine may sleep and the clock may be advanced. */
const [MIN_WAIT_MS, MAX_WAIT_MS] = [10, 60_000];

/** Sends events to webhook endpoints until they are accepted, at least once. */
export type WebhookSender = {
  endpointOf(account: number): Endpoint | undefined;
  /** Replaces the endpoint, or removes it with its pending deliveries. */
  setEndpoint(account: number, endpoint: Endpoint | undefined): void;
  /** Sets the URL of the platform's endpoint, which is another one after each start. */
  setPlatformUrl(url: string): void;
  /**
   * Queues events in the transaction that is under way; `poll` sends them.
   * @param options.toPlatform whether the account grants the platform access
   */
  queue(account: number, events: readonly Pick<NewEvent, "id" | "type">[], options?: { toPlatform?: boolean }): void;
  /** Sends due deliveries. Counts as activity until each has been tried. */
  poll(): void;
  /** Sends all waiting deliveries now. Resolves when each has been tried once. */
  flush(): Promise<void>;
  pending(): number;
  /** When the next delivery that waits is due, in epoch milliseconds. */
  nextDueAt(): number | undefined;
  /** Stops sending. Resolves when no delivery is under way. */
  stop(): Promise<void>;
};

export const createWebhookSender = (options: {
  store: Store;
  platform: Pick<Platform, "webhookSecret">;
  now: () => number;
  activity: Pick<Activity, "begin">;
  stopping: AbortSignal;
  onError: (error: unknown) => void;
}): WebhookSender => {
  const { store, platform, now, activity, stopping, onError } = options;
  const { accounts, deliveries, events, database } = store;
  const endpoints = openEndpoints(database);
  const registered = openRegisteredEndpoints(database);
  const underWay = new Map<number, Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let platformUrl: string | undefined;

  const platformTarget = (): Target | undefined => {
    const endpoint = platformUrl === undefined ? undefined : platformEndpoint(platformUrl, platform);
    return endpoint && { id: null, endpoint };
  };

  const targetsOf = (account: number): Target[] => {
    const set = endpoints.find(account);
    const others = registered.list(account).map(({ id, endpoint }) => ({ id, endpoint }));
    return [...(set === undefined ? [] : [{ id: null, endpoint: set }]), ...others];
  };

  const targetOf = ({ account, endpoint, to_platform: toPlatform }: Delivery): Target | undefined =>
    toPlatform === 1 ? platformTarget() : targetsOf(account).find(({ id }) => id === endpoint);

  const disable = (account: number, { id, endpoint }: Target) => {
    const disabled = { ...endpoint, disabled: true };
    deliveries.removeAllOf(account, id);
    if (id === null) endpoints.set(account, disabled);
    for (const one of registered.list(account))
      if (one.id === id) registered.set(account, { ...one, endpoint: disabled });
  };

  const conclude = (delivery: Delivery, target: Target, problem: string | undefined) => {
    const { id, account, event, attempts, queued_at: queuedAt } = delivery;
    const nowMs = now();
    if (problem === undefined) {
      deliveries.remove(id);
      events.addUndelivered(account, event, -1);
    } else if (nowMs - queuedAt < GIVE_UP_AFTER_MS) {
      deliveries.postpone(id, nowMs + (PAUSES_MS[attempts] ?? PAUSES_MS.at(-1) ?? 0), problem);
    } else if (delivery.to_platform === 1) deliveries.remove(id);
    else disable(account, target);
  };

  const attempt = async (delivery: Delivery): Promise<void> => {
    const { id, account } = delivery;
    const [target, event] = [targetOf(delivery), events.find(account, delivery.event)];
    const accountId = accounts.byId(account)?.account_id;
    if (target === undefined || target.endpoint.disabled || event === undefined || accountId === undefined)
      return deliveries.remove(id);
    const problem = await postEvent(target.endpoint, event, { accountId, nowMs: now(), stopping });
    // A delivery that a stop interrupted is sent after the next start.
    if (!stopping.aborted) database.transaction(() => conclude(delivery, target, problem));
  };

  const poll = (): void => {
    if (stopping.aborted) return;
    for (const delivery of deliveries.due(now(), underWay.size + MAX_UNDER_WAY)) {
      if (underWay.size >= MAX_UNDER_WAY) break;
      if (underWay.has(delivery.id)) continue;
      // From an earlier start.
      if (delivery.to_platform === 1 && platformUrl === undefined) continue;
      const end = activity.begin();
      const work = attempt(delivery)
        .catch(onError)
        .finally(() => {
          underWay.delete(delivery.id);
          poll();
          end();
        });
      underWay.set(delivery.id, work);
    }
    clearTimeout(timer);
    const next = deliveries.nextDueAt(now());
    if (next !== undefined)
      timer = setTimeout(poll, Math.min(Math.max(next - now(), MIN_WAIT_MS), MAX_WAIT_MS)).unref();
  };

  const idle = async () => {
    while (underWay.size > 0) await Promise.all(underWay.values());
  };

  return {
    endpointOf: endpoints.find,
    setEndpoint(account, endpoint) {
      database.transaction(() => {
        if (endpoint === undefined) {
          endpoints.remove(account);
          deliveries.removeAllOf(account, null);
        } else endpoints.set(account, endpoint);
      });
      // Deliveries that waited for the old endpoint go to the new one now.
      deliveries.hasten(now(), account);
      poll();
    },
    setPlatformUrl(url) {
      platformUrl = url;
      poll();
    },
    queue(account, happened, { toPlatform = false } = {}) {
      for (const target of targetsOf(account)) queueDeliveries(store, account, target, happened, now());
      if (!toPlatform || platformTarget() === undefined) return;
      for (const { id: event } of happened) {
        events.addUndelivered(account, event, 1);
        deliveries.insert({ account, event, endpoint: null, to_platform: 1, queued_at: now(), due_at: now() });
      }
    },
    poll,
    async flush() {
      deliveries.hasten(now());
      poll();
      await idle();
    },
    pending: deliveries.count,
    nextDueAt: () => deliveries.nextDueAt(now()),
    async stop() {
      clearTimeout(timer);
      await idle();
    },
  };
};
