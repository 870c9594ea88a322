/**
 * Sends what a mute has hidden when the mute, or one of its weekly spans, ends. docs/rules.md, "The end of a mute".
 *
 *     dispatcher:   hides an alert ── refused from the mark of the end on ── notifies
 *     this work:         mark of the end ── read what is pending ── claim, store, send ── release
 *
 * An alert is released last. After a crash, the same work finds its own claims, and sends their messages again. It does so
 * before it looks at the alert: by then the alert may be resolved, or another mute may act on it.
 *
 *     this work:    claim and store ── crash            again: send the claimed ── another mute acts: hand over ── release
 *     dispatcher:                      new mute, or resolved ─┘
 *
 * Two mutes never hand an alert to each other: one hands over only to a mute that it has read as not ended after its own
 * end was marked, so the mark of the other end comes later, and that end finds the alert pending.
 */
import type { HiddenStore, Pending, Withheld } from "../mutes/hidden-store.ts";
import type { MuteItem } from "../mutes/mute-item.ts";
import type { MuteStore } from "../mutes/mute-store.ts";
import { actingOn, spanAt } from "../mutes/mute-times.ts";
import type { Clock } from "../runtime/clock.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import type { Alert } from "../security/alerts/alert.ts";
import { timeOfEventId } from "../security/event-id.ts";
import { END_OF_TIME_MS } from "../terms/hours.ts";
import { type AlertChange, type Claimer, type MuteEnd, muteSummaryOf } from "./claim-notification.ts";
import { decideHold } from "./decide-hold.ts";
import { type DueNotification, decideNotice } from "./decide-notice.ts";
import type { NotificationDeliveryStore } from "./delivery-store.ts";
import type { Destination } from "./destination.ts";
import type { NoticeStore } from "./notice-store.ts";
import { claimsOf, type NoticeItem } from "./notification-items.ts";

/** Alerts that are worked off at once. Of more, a destination gets a summary in any case. */
const ALERTS_PER_TURN = 500;
const ALERTS_AT_ONCE = 16;

/** A destination gets at most this many single notifications of a mute's end. More are one summary. */
const MAX_SINGLE = 5;

/** Other events change the notice at most a few times. */
const MAX_ATTEMPTS = 8;

export type ReleaseDependencies = {
  destinations: { list(organizationId: string): Promise<readonly Destination[]> };
  notices: Pick<NoticeStore, "read" | "withhold" | "dropEnd">;
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
  mute: Pick<MuteItem, "id" | "from" | "until" | "weekly">,
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

  /** Sends the messages again of what an earlier attempt has claimed. Deliveries that have ended ignore theirs. */
  const sendAgain = async ({ changed, destination }: Release, notice: NoticeItem, end: MuteEnd): Promise<void> => {
    // A claim without a delivery is in the summary of an end, whose message is sent when all are in it.
    const claimed = claimsOf(notice).filter(
      ({ deliveryId }) => deliveryId === undefined || (timeOfEventId(deliveryId) ?? 0) >= end.at,
    );
    for (const { deliveryId } of claimed) {
      if (deliveryId === undefined) continue;
      await claimer.send(changed.organizationId, { destinationId: destination.id, deliveryId });
    }
    if (claimed.length > 0) await claimer.watchAcknowledgement(changed, destination);
  };

  /** Notifies one destination. */
  const release = async (one: Release, end: MuteEnd, isSummary: boolean): Promise<void> => {
    const { changed, destination } = one;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const due = dueOf(one, await readNotice(one));
      if (due === undefined) return;
      if (await claimer.claim(changed, destination, due, isSummary ? { ended: end } : {})) return;
    }
    throw new Error("The notice of an alert changes too fast.");
  };

  return async (organizationId, mute, { at, isOver }) => {
    const { from, until, weekly } = mute;
    const end = { muteId: mute.id, from: spanAt({ from, until, weekly }, at - 1)?.from ?? at, at };
    const waiting = { until: isOver ? END_OF_TIME_MS : at, limit: ALERTS_PER_TURN };
    const { items: ended, hasMore } = await hidden.listPending(organizationId, mute.id, waiting);
    if (ended.length === 0) return !hasMore;
    const [all, live] = await Promise.all([destinations.list(organizationId), mutes.live(organizationId)]);
    const active = all.filter(({ status }) => status === "active");
    const others = live.filter(({ id }) => id !== mute.id);

    /** Whether other mutes have taken the alert over. */
    const isHiddenByOthers = async (releases: readonly (Release & { notice: NoticeItem })[], alert: Alert) => {
      const acting = actingOn(others, alert, now());
      if (acting.length === 0) return false;
      const withheld = await Promise.all(
        releases.map(async ({ notice, ...one }): Promise<Withheld[]> => {
          const due = dueOf(one, notice);
          const destinationId = one.destination.id;
          const isWithheld =
            due !== undefined && (await notices.withhold({ organizationId, destinationId, alert, now: now() }, notice));
          return isWithheld ? [{ destinationId, change: due.change }] : [];
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
      // As an operator's decision, this change stands for the raising and the rise before it.
      const changed = { organizationId, alert, change: "acknowledged", at } as const;
      const found = await Promise.all(
        all.map(async (destination) => {
          const one = { changed, destination };
          const notice = await readNotice(one);
          await sendAgain(one, notice, end);
          return { ...one, notice };
        }),
      );
      if (alert.status === "resolved") return dropEnds(alert);
      const releases = found.filter(({ destination }) => destination.status === "active");
      if (await isHiddenByOthers(releases, alert)) return;
      for (const { notice, ...one } of releases) {
        const { destination } = one;
        byDestination.get(destination.id)?.push(one);
        const isSingle = decideHold(destination, alert.level, now()) === undefined;
        if (isSingle && dueOf(one, notice) !== undefined) {
          single.set(destination.id, (single.get(destination.id) ?? 0) + 1);
        }
      }
    };
    await inParallel(ended, ALERTS_AT_ONCE, collect);

    const hasSummary = async (destinationId: string): Promise<boolean> =>
      (await deliveries.read(organizationId, muteSummaryOf(destinationId, end), now())) !== undefined;

    await Promise.all(
      all.map(async ({ id }) => {
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
