/**
 * Publishes changes of alerts. Each change waits in the outbox from the very write that made it; once the bus has it,
 * it is taken out. So a crash between the two, or a bus that is down, loses nothing: the sweep publishes what is left.
 */

import * as z from "zod/mini";
import type { BusEvent, EventBus } from "../../runtime/event-bus.ts";
import { inParallel } from "../../runtime/in-parallel.ts";
import { writeLog } from "../../runtime/log.ts";
import { EVENT_SOURCE } from "../event-source.ts";
import { Alert, alertChanges, type ChangedAlert } from "./alert.ts";
import { alertNameInLogs } from "./alert-item.ts";
import type { AlertOutboxStore } from "./alert-store.ts";

/** The detail-type that rules match. */
export const ALERT_EVENT_TYPE = "SecurityAlertChanged";

/**
 * The detail of an event. Delivered at least once and in no order: the alert's id and `revision` say which change it
 * is, and of two the higher revision is the later. A detail of the same version only ever gains fields.
 */
export const SecurityAlertChanged = z.object({
  version: z.literal(1),
  change: z.enum(alertChanges),
  /** Epoch milliseconds. */
  at: z.number(),
  /** Absent where the alert is of no organization, such as a failure of the whole system. */
  organizationId: z.optional(z.string()),
  /** As it was after the change. */
  alert: Alert,
});
export type SecurityAlertChanged = z.output<typeof SecurityAlertChanged>;

/** A change as an event of the bus. */
export const alertEvent = ({ change, at, organizationId, alert }: ChangedAlert): BusEvent => ({
  source: EVENT_SOURCE,
  detailType: ALERT_EVENT_TYPE,
  detail: {
    version: 1,
    change,
    at,
    ...(organizationId !== undefined && { organizationId }),
    alert,
  } satisfies SecurityAlertChanged,
});

const REMOVALS_AT_ONCE = 10;

/** A change waits this long before the sweep takes it for one that nobody published. */
const SWEEP_AFTER_MS = 60_000;
/** Of each of the outbox's 8 parts at once: 200 changes are 20 calls, which one publication has time for. */
const ROUND_LIMIT = 25;
/** The time that a round is sure to have. */
const ROUND_MS = 20_000;

type Parts = { bus: Pick<EventBus, "publish">; outbox: Pick<AlertOutboxStore, "remove"> };

export type AlertPublisher = ReturnType<typeof createAlertPublisher>;

export const createAlertPublisher = ({ bus, outbox }: Parts) => {
  const removeFromOutbox = (changes: readonly ChangedAlert[]) =>
    inParallel(changes, REMOVALS_AT_ONCE, async ({ organizationId, alert }) => {
      // Whoever fails here leaves the change to the sweep, which publishes it once more.
      if (organizationId !== undefined) await outbox.remove(organizationId, alert).catch(() => undefined);
    });

  const send = async (changes: readonly ChangedAlert[]): Promise<ChangedAlert[]> => {
    const events = changes.map((change) => ({ ...alertEvent(change), change }));
    const unpublished = await bus.publish(events);
    for (const { event, reason } of unpublished) {
      const { organizationId, alert, change } = event.change;
      writeLog("warn", "A change of an alert was not published", {
        // That of no organization's finding is made of whom it is about.
        alert: organizationId === undefined ? undefined : alertNameInLogs(alert.id),
        rule: alert.rule,
        revision: alert.revision,
        change,
        reason,
      });
    }
    return unpublished.map(({ event }) => event.change);
  };

  return {
    /**
     * Publishes changes just made. Never throws.
     *
     * A repetition stays in the outbox, and the sweep publishes it once more: raising is then one write, and a flood of like events no flood of writes.
     * @returns the changes that the bus did not take. Stored ones need nothing more; of others this is all there is.
     */
    async publish(changes: readonly ChangedAlert[]): Promise<ChangedAlert[]> {
      if (changes.length === 0) return [];
      const unpublished = await send(changes);
      await removeFromOutbox(changes.filter((one) => one.change !== "repeated" && !unpublished.includes(one)));
      return unpublished;
    },

    /** Publishes changes that were found waiting, whatever they are. Never throws. */
    async publishAgain(changes: readonly ChangedAlert[]): Promise<{ published: number; failed: number }> {
      const unpublished = changes.length === 0 ? [] : await send(changes);
      const published = changes.filter((one) => !unpublished.includes(one));
      await removeFromOutbox(published);
      return { published: published.length, failed: unpublished.length };
    },
  };
};

export type SweepParts = { outbox: Pick<AlertOutboxStore, "list">; publisher: Pick<AlertPublisher, "publishAgain"> };

/**
 * Publishes what has waited for a minute, round by round until nothing is left, the bus refuses, or the time is over.
 * @param now epoch ms.
 * @param remainingMs how much of the function's time is left.
 */
export const sweepOutbox = async ({ outbox, publisher }: SweepParts, now: number, remainingMs: () => number) => {
  const total = { published: 0, failed: 0 };
  const seen = new Set<string>();
  while (total.failed === 0 && remainingMs() > ROUND_MS) {
    const waiting = await outbox.list({ before: now - SWEEP_AFTER_MS, now, limit: ROUND_LIMIT });
    // What comes again could not be taken out: the next run's, or this one would publish it round after round.
    const changes = waiting.filter(({ alert: { id, revision } }) => !seen.has(`${id} ${revision}`));
    if (changes.length === 0) break;
    for (const { alert } of changes) seen.add(`${alert.id} ${alert.revision}`);
    const { published, failed } = await publisher.publishAgain(changes);
    total.published += published;
    total.failed += failed;
  }
  return total;
};
