/** What must be true of notifications once no delivery is tried any more. docs/notifications.md. */
import { DeliveryMessage, publicDeliveryId } from "../../shared/notifications/delivery.ts";
import type { Item } from "../support/expressions.ts";
import { Problem } from "./invariants.ts";
import type { Received } from "./receivers.ts";
import type { Organization, World } from "./world.ts";

/**
 * A destination and what operators know of it; times in epoch ms. `isSteady`: nobody paused, changed or deleted it, so it takes
 * all that its filter takes from `knownSince` on. `silences`: when it was acknowledged to get nothing. `isErased`: its
 * URL names an erased user.
 */
export type Destination = {
  organization: Organization;
  id: string;
  path: string;
  settings: { filter?: { levels?: string[]; changes?: string[] } } & Record<string, unknown>;
  knownSince: number;
  isSteady: boolean;
  silences: { from: number; to?: number }[];
  isDeletion?: true;
  isErased?: true;
};

type Published = {
  change: string;
  at: number;
  organizationId?: string;
  alert: { id: string; rule: string; level: string };
};
type Attempt = { at: number; status?: number };

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** The clocks of two instances differ by 3 s at most. */
const SKEW_MS = 3 * SECOND_MS;
/** A sender that has read the destination may send as long as it runs, and its request may be late. */
const LATE_MS = 61 * SECOND_MS;
/** Nine tries take about a day; `Retry-After` and dead senders make them longer. */
const LONGEST_MS = 48 * HOUR_MS;

/** The documented pauses after each failed try, up to a tenth shorter. */
const PAUSES_MS = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  ...[2, 5, 7, 9].map((hours) => hours * HOUR_MS),
];
const MAX_TRIES = PAUSES_MS.length + 1;

/** Why a delivery may be given up although its destination was not paused or deleted. */
const FAILED_ALONE = ["no_tries_left", "gone", "empty", "The retry could not be handed over."];

const isAccepted = ({ status }: Received): boolean => status >= 200 && status < 300;

/** Whether a request tells of an alert. A summary names at most 20. */
const tells = ({ data }: Received["said"], alertId: string): boolean =>
  data.alert?.id === alertId ||
  data.alerts?.some(({ id }) => id === alertId) === true ||
  Object.keys(data.leftOut ?? {}).length > 0;

/**
 * A delivery ends. Only the instance that stores a delivery, or makes it pending again, has its message: if it dies before the
 * queue has taken the message, somebody repeats what it did. Nobody has to repeat a request for a sample that was not
 * answered; and for a destination that was deleted since, an event that comes again does nothing, and no retry is possible.
 */
const judgeEnd = (
  { status, type, destinationId, deliveryId, isRetryUnsent }: Item,
  { isSample, isDeleted, isHandedOver }: { isSample: boolean; isDeleted: boolean; isHandedOver: boolean },
): void => {
  const isUnsent = isRetryUnsent === true || !isHandedOver;
  if (status !== "pending" || (isUnsent && (isDeleted || (type === "notification.test" && !isSample)))) return;
  throw new Problem(`The delivery ${destinationId}_${deliveryId} is pending for ever`);
};

/** The deliveries of which the queue has taken a message, as `destination.delivery`. */
const handedOver = ({ cloud }: World): ReadonlySet<string> => {
  const messages = cloud.queues.takenBy("NotificationsToSend").map((body) => DeliveryMessage.parse(JSON.parse(body)));
  return new Set(messages.filter(({ isWatch }) => !isWatch).map(publicDeliveryId));
};

/** The log of a delivery: its end, its tries and their pauses. */
const judgeDelivery = (item: Item, received: readonly Received[]): void => {
  const { status, error, tries, requestedBy } = item;
  const id = `${item.destinationId}_${item.deliveryId}`;
  const attempts = item.attempts as Attempt[];
  const own = received.filter((one) => one.id === id);
  if (status === "delivered" && !own.some(isAccepted)) throw new Problem(`${id} is delivered, and nobody accepted it`);
  if (error === "no_tries_left" && tries !== MAX_TRIES) throw new Problem(`${id} was given up after ${tries} tries`);
  if (error === "gone" && attempts.at(-1)?.status !== 410) throw new Problem(`${id} ended as gone without a 410`);
  for (const answered of new Set(attempts.flatMap((one) => one.status ?? []))) {
    const count = (list: readonly { status?: number }[]) => list.filter((one) => one.status === answered).length;
    if (count(attempts) > count(own)) throw new Problem(`${id} logs ${answered}, which its receiver did not answer`);
  }
  // A retry begins with the first pause again.
  if (requestedBy !== undefined) return;
  for (const [i, { at }] of attempts.slice(1).entries()) {
    const pause = at - (attempts[i]?.at ?? 0);
    if (pause < 0.9 * (PAUSES_MS[i] ?? 0) - SKEW_MS) throw new Problem(`${id} was tried again after ${pause} ms`);
  }
};

/** Nothing is sent to a destination that was paused, deleted or erased, but for the news of that very change. */
const judgeSilences = ({ id, path, silences }: Destination, received: readonly Received[]): void => {
  for (const { at, path: to, said } of received) {
    if (to !== path) continue;
    const { rule, subject } = said.data.alert ?? {};
    if (rule === "notifications_silenced" && subject === id) continue;
    if (silences.some(({ from, to = Number.POSITIVE_INFINITY }) => at > from + LATE_MS && at < to))
      throw new Problem(`${path} got ${said.type} although its destination ${id} was silent`);
  }
};

/** Each change of an alert that a steady destination's filter takes has reached it, or its delivery has failed. */
const judgeAlerts = ({ database, published, receivers }: World, destination: Destination): void => {
  const { organization, id, path, settings, knownSince } = destination;
  const { levels, changes } = settings.filter ?? {};
  const accepted = receivers.received.filter((one) => one.path === path && isAccepted(one));
  const deliveries = database.items("Notifications").filter((item) => item.destinationId === id);
  const stored = new Set(database.items("SecurityAlerts").map((item) => item.id));
  for (const { type, detail } of published) {
    if (type !== "SecurityAlertChanged") continue;
    const { change, at, organizationId, alert } = detail as Published;
    const isTaken =
      change === "raised" && changes?.includes(change) !== false && levels?.includes(alert.level) !== false;
    if (!isTaken || organizationId !== organization.id || at < knownSince + SKEW_MS) continue;
    // An erasure deletes alerts. Those of silenced destinations pass all filters, and not to the destination itself.
    if (!stored.has(alert.id) || alert.rule === "notifications_silenced") continue;
    const isFailed = ({ status, error, notification }: Item) =>
      status === "failed" && FAILED_ALONE.includes(String(error)) && String(notification).includes(alert.id);
    if (!accepted.some(({ said }) => tells(said, alert.id)) && !deliveries.some(isFailed))
      throw new Problem(`The alert ${alert.id} has not reached ${id} (${path}), and no delivery has failed`);
  }
};

/** Waits until no delivery is tried any more. @throws Problem */
export const judgeNotifications = async (
  world: World,
  { destinations, samples }: { destinations: readonly Destination[]; samples: ReadonlySet<string> },
): Promise<void> => {
  const { scheduler, cloud, database, receivers } = world;
  const { now, sleep } = scheduler;
  for (const { isErased, silences } of destinations) if (isErased) silences.push({ from: now() });
  const end = now() + LONGEST_MS;
  while (!cloud.queues.isEmpty() || !cloud.isIdle()) {
    if (now() > end) throw new Problem("Deliveries are tried for ever");
    await sleep(10 * MINUTE_MS);
  }
  if (cloud.unexcused.length > 0) throw new Problem(`Without a fault: ${cloud.unexcused[0]}`);
  if (cloud.queues.deadLetters.length > 0) throw new Problem("A message cannot be processed");
  const items = database.items("Notifications");
  const existing = new Set(items.filter(({ key }) => String(key).startsWith("destination#")).map(({ id }) => id));
  const sent = handedOver(world);
  for (const item of items) {
    if (String(item.key).startsWith("delivery#")) {
      const id = `${item.destinationId}.${item.deliveryId}`;
      const isDeleted = !existing.has(item.destinationId);
      judgeEnd(item, { isSample: samples.has(id), isDeleted, isHandedOver: sent.has(id) });
      judgeDelivery(item, receivers.received);
    }
    if (String(item.key).startsWith("silenced#")) throw new Problem(`The change ${item.key} is never told of`);
  }
  for (const destination of destinations) {
    judgeSilences(destination, receivers.received);
    if (destination.isSteady) judgeAlerts(world, destination);
  }
};
