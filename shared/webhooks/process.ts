/**
 * Processes an event that a webhook delivered. Its observations reach the records in the same way as a sync run's, so
 * order, repetition and concurrent runs do no harm. docs/webhooks.md, "Processing".
 */

import type { OpenConnection } from "../connection/open-connection.ts";
import type { Provider, ProviderAccess, ProviderEvent } from "../provider/provider.ts";
import { rereadWith } from "../provider/reread.ts";
import { isSinceConnect } from "../provider/since-connect.ts";
import type { Apply, ApplyOptions } from "../records/apply.ts";
import { decideApply } from "../records/decide-apply.ts";
import type { Observation } from "../records/observation.ts";
import type { RecordType } from "../records/record.ts";
import type { RecordKey, StoredRecord } from "../records/record-item.ts";
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { writeLog } from "../runtime/log.ts";
import { WEBHOOK_RECEIVES } from "../terms/webhook-queue.ts";
import { changeName } from "./delivery.ts";
import type { EventKey } from "./event-partitions.ts";
import { isLate, type Outcome, touchOf, type WebhookEvent } from "./webhook-event.ts";
import type { FailedTry, GapStore, ProcessedDetails, WebhookEventStore } from "./webhook-event-store.ts";
import type { WebhookReceived } from "./webhook-outbox.ts";
import { reasonOf } from "./webhook-security-events.ts";

/** A connection that is connected or must be made again. `connectedAt` in epoch ms. */
export type EventConnection = { connectionId: string; accountId: string; connectedAt: number };

export type ProcessDependencies = {
  events: Pick<WebhookEventStore, "read" | "markProcessed" | "noteFailure">;
  /** Reads strongly; undefined if there is no connection. */
  readConnection(organizationId: string): Promise<EventConnection | undefined>;
  /**
   * Claims the organization's records for the account before records are written.
   * @returns false if the connection has changed, or must be made again.
   */
  claimRecords(organizationId: string, connection: EventConnection): Promise<boolean>;
  apply: Apply;
  /** Reads records strongly, those that exist. @param keys each once. */
  readRecords(organizationId: string, keys: readonly RecordKey[]): Promise<readonly StoredRecord[]>;
  /** Reads an object at the provider. @throws ProviderError; DomainError `circuit_open`, `not_connected`. */
  reread(organizationId: string, connection: EventConnection): ApplyOptions["reread"];
  /** Removes the connection if there is one, ends runs, and records it. A repetition changes nothing. */
  disconnect(organizationId: string, event: WebhookEvent): Promise<void>;
  /** Counts the event if it is about money and was created after the connect. A repetition changes nothing. */
  countMoney(organizationId: string, events: readonly ProviderEvent[], connectedAt: number): Promise<void>;
  gaps: Pick<GapStore, "mayStartRun">;
  /** Starts a run that reads the feed since its cursor. @throws DomainError if no run can be started. */
  startGapRun(organizationId: string): Promise<void>;
  /** @param cause an error, or an object of the event that is set aside. */
  recordFailure(organizationId: string, event: WebhookEvent, cause: unknown): Promise<void>;
  now: Clock;
};

/** @param receives how often the queue has delivered the message, this time included. */
export type Process = (received: WebhookReceived, receives: number) => Promise<void>;

type Processed = { outcome: Outcome } & ProcessedDetails;

/** Without a run now, the schedule's next run reads the missing events. */
const NO_RUN = ["sync_running", "not_connected", "circuit_open"];

/**
 * An older event is late. The time covers the difference between our clock and the provider's as well: each run reads the
 * feed's last 60 s again, and half of that is enough for both.
 */
const TRUSTED_MS = 30_000;

const nameOf = ({ type, id }: RecordKey): string => `${type}#${id}`;

/** Whether an observation may be newer than the record, and differs from it. */
const mayChange = (observation: Observation, stored: StoredRecord | undefined): boolean => {
  const decision = decideApply(stored, { observation, invoiceId: undefined }, { updatesObservedAt: true });
  return decision.kind === "reread" || (decision.kind === "write" && decision.isChange);
};

/** A touch in place of a state. A payment's link to its invoice never changes, so it is kept. */
const asTouch = (observation: Observation): Observation[] => {
  const touch = touchOf(observation);
  if (observation.kind !== "state" || observation.type !== "payments") return [touch];
  const { id, observedAt, fields } = observation;
  if (fields.invoiceId === null) return [touch];
  return [touch, { kind: "linked", type: "payments", id, invoiceId: fields.invoiceId, observedAt }];
};

/** The observation with its time extended to the second `end`; unchanged if our clock is far behind the provider's. */
const extendedTo = (observation: Observation, end: number): Observation => {
  const { from, to } = observation.observedAt;
  return { ...observation, observedAt: { from, to: Math.max(to, end) } };
};

/**
 * The observations of an event. Those of a late event cannot be trusted, for two reasons:
 *
 * - A full run takes its lists for complete and applies no older event. A state that a late event reports may be over,
 *   while the event that ended it never arrives. Then the record would stay wrong, or a deleted object would come back.
 * - The provider may date its events earlier than its answers, which decide how current records are. Then the event would
 *   be dropped as older than a record that it is newer than.
 *
 * So a late observation may be of any time until the event arrived, and if it differs from the record, the object is read.
 * One read unit for each object of a late event.
 * @param now epoch ms.
 */
const trustedObservations = async (
  readRecords: ProcessDependencies["readRecords"],
  organizationId: string,
  { observations, createdSeconds, receivedAt }: WebhookEvent,
  now: number,
): Promise<readonly Observation[]> => {
  if (now - createdSeconds * 1_000 <= TRUSTED_MS) return observations;
  const receivedSeconds = Math.floor((receivedAt + TRUSTED_MS) / 1_000);
  const states = observations.filter(({ kind }) => kind === "state");
  const keys = new Map(states.map(({ type, id }) => [nameOf({ type, id }), { type, id }]));
  const records = keys.size === 0 ? [] : await readRecords(organizationId, [...keys.values()]);
  const stored = new Map(records.map((record) => [nameOf(record), record]));
  return observations.flatMap((one) => {
    const extended = extendedTo(one, receivedSeconds);
    if (one.kind !== "state") return [extended];
    return mayChange(extended, stored.get(nameOf(one))) ? asTouch(extended) : [one];
  });
};

/** Whether a deauthorization ends this connection: a later connection has a permission of its own. */
const endsConnection = (event: WebhookEvent, { connectionId, connectedAt }: EventConnection): boolean =>
  event.connectionId === connectionId && isSinceConnect(connectedAt, event);

export const createProcess = (dependencies: ProcessDependencies): Process => {
  const { events, readConnection, claimRecords, apply, readRecords, reread, disconnect } = dependencies;
  const { countMoney, gaps, startGapRun, recordFailure, now } = dependencies;

  const applyAll = async (organizationId: string, event: WebhookEvent): Promise<Processed> => {
    const connection = await readConnection(organizationId);
    if (connection?.accountId !== event.accountId) return { outcome: "ignored" };
    // If the connection must be made again, the run that reconnecting starts reads this event in the feed.
    if (!(await claimRecords(organizationId, connection))) return { outcome: "ignored" };
    await countMoney(organizationId, [event], connection.connectedAt);
    const options = { reread: reread(organizationId, connection), updatesObservedAt: true };
    const observations = await trustedObservations(readRecords, organizationId, event, now());
    const applied = await apply(organizationId, observations, options);
    const [first] = [...(event.setAside ?? []), ...(applied.setAside ?? [])];
    const changed = applied.changed.map(changeName);
    if (first === undefined) return { outcome: "applied", changed };
    // Another try would end in the same way.
    await recordFailure(organizationId, event, first);
    return { outcome: "set_aside", changed, failure: reasonOf(first) };
  };

  const endConnection = async (organizationId: string, event: WebhookEvent): Promise<Processed> => {
    const connection = await readConnection(organizationId);
    if (connection !== undefined && !endsConnection(event, connection)) return { outcome: "ignored" };
    // Even if it is gone: an earlier attempt for this event may have crashed before it finished.
    await disconnect(organizationId, event);
    return { outcome: "disconnected" };
  };

  /** If an event arrives late, others may be missing: start a run that reads them in the feed. */
  const fillGap = async (organizationId: string, event: WebhookEvent): Promise<void> => {
    if (!isLate(event) || !(await gaps.mayStartRun({ organizationId, id: event.id }, now()))) return;
    try {
      await startGapRun(organizationId);
    } catch (error) {
      if (!(error instanceof DomainError && NO_RUN.includes(error.code))) throw error;
    }
  };

  /** If the last try leaves no note, the delivery counts as failed two hours later (delivery.ts). */
  const note = (key: EventKey, failed: FailedTry) =>
    events.noteFailure(key, failed).catch((error: unknown) => {
      writeLog("warn", "Storing the failed try of a webhook event failed", { cause: String(error) });
    });

  /**
   * Processes an event; a repetition changes nothing. Stores why a try failed, for the list of deliveries.
   * @throws any failure, so that the queue tries again and finally moves the message to the dead letters.
   */
  return async ({ organizationId, eventId }, receives) => {
    const event = await events.read(organizationId, eventId, now());
    // The event was erased, has expired, or is processed already.
    if (event === undefined || event.processedAt !== undefined) return;
    const key = { organizationId, id: eventId };
    try {
      const act = event.isDeauthorization ? endConnection : applyAll;
      const { outcome, ...details } = await act(organizationId, event);
      if (outcome === "applied" || outcome === "set_aside") await fillGap(organizationId, event);
      await events.markProcessed(key, outcome, now(), { attempts: receives, ...details });
    } catch (error) {
      const failed = { attempts: receives, at: now(), reason: reasonOf(error), isLast: receives >= WEBHOOK_RECEIVES };
      await Promise.all([recordFailure(organizationId, event, error), note(key, failed)]);
      throw error;
    }
  };
};

/** Reads objects at the provider for an event: through the circuit breaker, and only with the event's own connection. */
export const createReread = ({
  openConnection,
  access,
  refusedTypes,
  noteRefused,
}: {
  openConnection: OpenConnection;
  access: Pick<ProviderAccess, "open">;
  /** When each type of records was last refused, epoch ms. Runs try them again once a day; events do not. */
  refusedTypes(organizationId: string): Promise<Readonly<Partial<Record<RecordType, number>>>>;
  noteRefused(organizationId: string, type: RecordType): Promise<void>;
}): ProcessDependencies["reread"] => {
  const open = async (organizationId: string, { connectionId }: EventConnection): Promise<Provider> => {
    const { connection, credentials } = await openConnection(organizationId, { source: "webhook" });
    if (connection.connectionId !== connectionId) {
      throw new DomainError("not_connected", "The account has been connected again since.");
    }
    return access.open(credentials, { organizationId, source: "webhook", accountId: connection.accountId });
  };

  return (organizationId, connection) => {
    // Most events need no read, so open the credentials with the first.
    let opened: Promise<Provider> | undefined;
    // Refusals before the connect are those of other credentials.
    const isLeftOut = async (type: RecordType) =>
      ((await refusedTypes(organizationId))[type] ?? Number.NEGATIVE_INFINITY) >= connection.connectedAt;
    const readObject: Provider["readObject"] = async (type, id) => {
      opened ??= open(organizationId, connection);
      return (await opened).readObject(type, id);
    };
    return rereadWith(readObject, isLeftOut, (type) => noteRefused(organizationId, type));
  };
};
