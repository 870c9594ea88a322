/**
 * Publishes changes of alerts. The write that makes a change puts the alert into the outbox; publishing the change removes
 * it from there. After a crash in between, or if the bus is down, the sweep publishes what the outbox still has.
 */
import * as z from "zod/mini";
import { definedFields } from "../../json/defined-fields.ts";
import { asSideWork } from "../../runtime/deadline.ts";
import type { BusEvent, EventBus } from "../../runtime/event-bus.ts";
import { inParallel } from "../../runtime/in-parallel.ts";
import { writeLog } from "../../runtime/log.ts";
import { EVENT_SOURCE } from "../../terms/event-source.ts";
import { SWEEP_AFTER_MS, sweepOutbox } from "../../work/outbox.ts";
import { Alert, AlertNote, alertChanges, type ChangedAlert } from "./alert.ts";
import { alertNameInLogs } from "./alert-item.ts";
import type { AlertNoteStore } from "./alert-note-store.ts";
import type { AlertOutboxStore, WaitingAlertStore, WaitingChange } from "./alert-outbox-store.ts";

export const ALERT_EVENT_TYPE = "SecurityAlertChanged";

/**
 * The detail of a published event. Events are delivered at least once and in any order: alert id and `revision` identify
 * the change, and the higher revision is the later one. An assignment, comment or reopening has its note's id as well,
 * because the sweep publishes it with the alert of that time. Details of the same version only gain fields.
 */
export const SecurityAlertChanged = z.object({
  version: z.literal(1),
  change: z.enum(alertChanges),
  /** Epoch milliseconds. */
  at: z.number(),
  /** Missing for an alert of no organization, such as a failure of the whole system. */
  organizationId: z.optional(z.string()),
  /** The alert after the change. */
  alert: Alert,
  /** Of the changes `assigned`, `commented` and `reopened`. */
  note: z.optional(AlertNote),
});
export type SecurityAlertChanged = z.output<typeof SecurityAlertChanged>;

const REMOVALS_AT_ONCE = 10;
const RENEWALS_AT_ONCE = 4;
/** Of each of the outbox's 8 shards: 200 changes are 20 calls, which fit into the time of one publication. */
const CHANGES_PER_SHARD = 25;

const toBusEvent = (changed: ChangedAlert): BusEvent & { changed: ChangedAlert } => {
  const { change, at, organizationId, alert, note } = changed;
  const fields = { version: 1, change, at, ...definedFields({ organizationId }), alert } as const;
  const detail = { ...fields, ...definedFields({ note }) } satisfies SecurityAlertChanged;
  return { source: EVENT_SOURCE, detailType: ALERT_EVENT_TYPE, detail, changed };
};

type Dependencies = { bus: Pick<EventBus, "publish">; outbox: Pick<AlertOutboxStore, "remove"> };

export type AlertPublisher = ReturnType<typeof createAlertPublisher>;

export const createAlertPublisher = ({ bus, outbox }: Dependencies) => {
  /** If a removal fails, the sweep publishes the change once more. */
  const removeFromOutbox = (changes: readonly ChangedAlert[]) =>
    inParallel(changes, REMOVALS_AT_ONCE, async ({ organizationId, ...changed }) => {
      if (organizationId !== undefined) await outbox.remove(organizationId, changed).catch(() => undefined);
    });

  const send = async (changes: readonly ChangedAlert[]): Promise<ChangedAlert[]> => {
    const unpublished = await bus.publish(changes.map(toBusEvent));
    for (const { event, reason } of unpublished) {
      const { organizationId, alert, change } = event.changed;
      writeLog("warn", "A change of an alert was not published", {
        // The id of an unstored finding's alert is a digest of its subject, which may name a person.
        alert: organizationId === undefined ? undefined : alertNameInLogs(alert.id),
        rule: alert.rule,
        revision: alert.revision,
        change,
        reason,
      });
    }
    return unpublished.map(({ event }) => event.changed);
  };

  return {
    /**
     * Publishes new changes. Never throws. A repetition stays in the outbox, and the sweep publishes it once more: so
     * each raising costs one write, and a flood of similar events few writes.
     * @returns the changes that the bus did not take. The sweep publishes stored alerts; others are lost to the bus.
     */
    publish: (changes: readonly ChangedAlert[]): Promise<ChangedAlert[]> =>
      asSideWork(async () => {
        if (changes.length === 0) return [];
        const unpublished = await send(changes);
        await removeFromOutbox(changes.filter((one) => one.change !== "repeated" && !unpublished.includes(one)));
        return unpublished;
      }),

    /** Publishes changes of the outbox. Never throws. @returns how many the bus did not take. */
    async publishAgain(changes: readonly ChangedAlert[]): Promise<number> {
      const unpublished = await send(changes);
      await removeFromOutbox(changes.filter((one) => !unpublished.includes(one)));
      return unpublished.length;
    },
  };
};

type SweepDependencies = {
  outbox: Pick<WaitingAlertStore, "list">;
  notes: Pick<AlertNoteStore, "renew">;
  publisher: Pick<AlertPublisher, "publishAgain">;
};

/** If renewing fails, the change stays in the outbox, and the next sweep tries again. */
const renewNotes = (notes: SweepDependencies["notes"], changes: readonly WaitingChange[], now: number) =>
  inParallel(
    changes.filter(({ hasExpiringNotes }) => hasExpiringNotes),
    RENEWALS_AT_ONCE,
    ({ organizationId, alert }) =>
      notes.renew(organizationId, alert, now).catch((error: unknown) => {
        writeLog("warn", "Deferring the expiry of an alert's notes failed", {
          alert: alertNameInLogs(alert.id),
          cause: String(error),
        });
      }),
  );

/**
 * Publishes the changes that have waited for a minute. Repeated alerts wait in the outbox: their notes are renewed.
 * @param now epoch ms.
 * @param remainingMs how much of the function's time is left.
 */
export const sweepAlertOutbox = (
  { outbox, notes, publisher }: SweepDependencies,
  now: number,
  remainingMs: () => number,
) =>
  sweepOutbox(
    {
      list: () => outbox.list({ before: now - SWEEP_AFTER_MS, now, limit: CHANGES_PER_SHARD }),
      nameOf: ({ alert: { id, revision }, note }) => `${id} ${note?.id ?? revision}`,
      publish: async (changes) => {
        await renewNotes(notes, changes, now);
        return publisher.publishAgain(changes);
      },
    },
    remainingMs,
  );
