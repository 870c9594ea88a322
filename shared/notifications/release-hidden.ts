/**
 * Sends what a mute has hidden when the mute, or one of its weekly spans, ends. docs/rules.md, "The end of a mute".
 *
 *     dispatcher:   hides an alert ── refused from the mark of the end on ── notifies
 *     this work:         mark of the end ── read what is pending ── claim, store, send ── release
 *
 * An alert is released last. After a crash, the same work finds its own claims, and sends their messages again.
 */
import type { HiddenStore, Pending, Withheld } from "../mutes/hidden-store.ts";
import type { MuteItem } from "../mutes/mute-item.ts";
import type { MuteStore } from "../mutes/mute-store.ts";
import { actingOn } from "../mutes/mute-times.ts";
import type { Clock } from "../runtime/clock.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import type { Alert } from "../security/alerts/alert.ts";
import { timeOfEventId } from "../security/event-id.ts";
import { type AlertChange, type Claimer, type MuteEnd, muteSummaryOf } from "./claim-notification.ts";
import { decideHold } from "./decide-hold.ts";
import { type DueNotification, decideNotice } from "./decide-notice.ts";
import type { NotificationDeliveryStore } from "./delivery-store.ts";
import type { Destination } from "./destination.ts";
import type { NoticeStore } from "./notice-store.ts";
import type { NoticeItem } from "./notification-items.ts";

/** Alerts that are worked off at once. Of more, a destination gets a summary in any case. */
const ALERTS_PER_TURN = 500;
const ALERTS_AT_ONCE = 16;

/** A destination gets at most this many single notifications of a mute's end. More are one summary. */
const MAX_SINGLE = 5;

/** Other events change the notice at most a few times. */
const MAX_ATTEMPTS = 8;

export type ReleaseDependencies = {
  destinations: { list(organizationId: string): Promise<readonly Destination[]> };
  notices: Pick<NoticeStore, "read" | "dropEnd">;
  deliveries: Pick<NotificationDeliveryStore, "read">;
  alerts: {
    /** Undefined if it is not stored any more. */
    find(organizationId: string, alertId: string): Promise<Alert | undefined>;
  };
  mutes: Pick<MuteStore, "live">;
  hidden: Pick<HiddenStore, "listPending" | "release" | "hide">;
  claimer: Claimer;
  now: Clock;
};

/** What is notified of a released alert to a destination. */
type Release = { changed: AlertChange; destination: Destination };

/**
 * @param end.at when the mute or its span ended, epoch ms. `isOver`: the mute has ended, and not only a span.
 * @returns whether everything is worked off; if not, the work must be done again.
 */
export type ReleaseHidden = (
  organizationId: string,
  mute: Pick<MuteItem, "id">,
  end: { at: number; isOver: boolean },
) => Promise<boolean>;

export const createReleaseHidden = (dependencies: ReleaseDependencies): ReleaseHidden => {
  const { destinations, notices, deliveries, alerts, mutes, hidden, claimer, now } = dependencies;

  const dueOf = ({ changed, destination }: Release, notice: NoticeItem): DueNotification | undefined => {
    const due = decideNotice(changed, destination, notice);
    return due?.change === "resolved" ? undefined : due;
  };

  const readNotice = ({ changed, destination }: Release): Promise<NoticeItem> =>
    notices.read(changed.organizationId, destination.id, changed.alert.id);

  /** Notifies one destination, or sends the message again that an earlier attempt may not have sent. */
  const release = async (one: Release, end: MuteEnd, isSummary: boolean): Promise<void> => {
    const { changed, destination } = one;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const notice = await readNotice(one);
      const due = dueOf(one, notice);
      if (due === undefined) {
        const own = Object.values(notice).find(
          (notified) => (timeOfEventId(notified?.deliveryId ?? "") ?? 0) >= end.at,
        );
        if (own?.deliveryId === undefined) return;
        // The summary of this end is sent when all are in it.
        if (own.deliveryId === muteSummaryOf(destination.id, end).deliveryId) return;
        return claimer.send(changed.organizationId, { destinationId: destination.id, deliveryId: own.deliveryId });
      }
      if (await claimer.claim(changed, destination, due, isSummary ? { ended: end } : {})) return;
    }
    throw new Error("The notice of an alert changes too fast.");
  };

  return async (organizationId, mute, { at, isOver }) => {
    const end = { muteId: mute.id, at };
    const { items, hasMore } = await hidden.listPending(organizationId, mute.id, ALERTS_PER_TURN);
    const ended = items.filter(({ pendingUntil }) => isOver || pendingUntil <= at);
    if (ended.length === 0) return true;
    const [all, live] = await Promise.all([destinations.list(organizationId), mutes.live(organizationId)]);
    const active = all.filter(({ status }) => status === "active");
    const others = live.filter(({ id }) => id !== mute.id);

    /** Whether other mutes have taken the alert over. */
    const isHiddenByOthers = async (releases: readonly Release[], alert: Alert): Promise<boolean> => {
      const acting = actingOn(others, alert, now());
      if (acting.length === 0) return false;
      const withheld = await Promise.all(
        releases.map(async (one): Promise<Withheld[]> => {
          const due = dueOf(one, await readNotice(one));
          return due === undefined ? [] : [{ destinationId: one.destination.id, change: due.change }];
        }),
      );
      const hides = acting.map((one) => hidden.hide(organizationId, one, alert, withheld.flat()));
      return (await Promise.all(hides)).includes("hidden");
    };

    /** The event of the end may still come: where the raising did not go, the end does not go. */
    const dropEnds = async (alert: Alert): Promise<void> => {
      const drops = active.map(({ id }) => notices.dropEnd({ organizationId, destinationId: id, alert, now: now() }));
      await Promise.all(drops);
    };

    const byDestination = new Map(active.map(({ id }) => [id, [] as Release[]]));
    const single = new Map(active.map(({ id }) => [id, 0]));
    const collect = async ({ alertId }: Pending): Promise<void> => {
      const alert = await alerts.find(organizationId, alertId);
      if (alert === undefined) return;
      if (alert.status === "resolved") return dropEnds(alert);
      // As an operator's decision, this change stands for the raising and the rise before it.
      const changed = { organizationId, alert, change: "acknowledged", at } as const;
      const releases = active.map((destination) => ({ changed, destination }));
      if (await isHiddenByOthers(releases, alert)) return;
      for (const one of releases) {
        const { destination } = one;
        byDestination.get(destination.id)?.push(one);
        const isSingle = decideHold(destination, alert.level, now()) === undefined;
        if (isSingle && dueOf(one, await readNotice(one)) !== undefined) {
          single.set(destination.id, (single.get(destination.id) ?? 0) + 1);
        }
      }
    };
    await inParallel(ended, ALERTS_AT_ONCE, collect);

    const hasSummary = async (destinationId: string): Promise<boolean> =>
      (await deliveries.read(organizationId, muteSummaryOf(destinationId, end), now())) !== undefined;

    await Promise.all(
      active.map(async ({ id }) => {
        // An earlier attempt may have begun the summary, which then has the others.
        const isSummary = hasMore || (single.get(id) ?? 0) > MAX_SINGLE || (await hasSummary(id));
        // One after the other: the transactions of a summary would conflict.
        for (const one of byDestination.get(id) ?? []) await release(one, end, isSummary);
        if (!hasMore && isSummary && (await hasSummary(id))) {
          await claimer.send(organizationId, muteSummaryOf(id, end));
        }
      }),
    );
    await inParallel(ended, ALERTS_AT_ONCE, (pending) => hidden.release(organizationId, mute.id, pending));
    return !hasMore;
  };
};
