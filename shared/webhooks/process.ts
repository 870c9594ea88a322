/**
 * Processes an event that a webhook brought: its observations reach the records by the same way as a sync's, so that
 * neither order, repetition nor a run under way matters. docs/webhooks.md, "Processing".
 */
import { isSinceConnecting } from "../connection/since-connecting.ts";
import type { Apply, ApplyOptions } from "../records/apply.ts";
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { GapStore } from "./gap-store.ts";
import type { WebhookReceived } from "./hand-over.ts";
import { type ReadRecords, trustedObservations } from "./late-events.ts";
import { isLate, type Outcome, type WebhookEvent } from "./webhook-event.ts";
import type { WebhookEventStore } from "./webhook-event-store.ts";

/** A connection, be it good or waiting to be made anew. `connectedAt` in epoch ms. */
export type EventConnection = { connectionId: string; accountId: string; connectedAt: number };

export type ProcessParts = {
  events: Pick<WebhookEventStore, "read" | "markProcessed">;
  /** Reads strongly; undefined where there is none. */
  readConnection(organizationId: string): Promise<EventConnection | undefined>;
  /**
   * Says that records of the account are about to be stored.
   * @returns false where the connection is not that one any more, or must be made anew.
   */
  claimRecords(organizationId: string, connection: EventConnection): Promise<boolean>;
  apply: Apply;
  readRecords: ReadRecords;
  /** Reads an object at the provider. @throws ProviderError; DomainError `circuit_open`, `not_connected`. */
  reread(organizationId: string, connection: EventConnection): ApplyOptions["reread"];
  /** Removes the connection, where there is one; ends runs; records it. Done again, it changes nothing. */
  disconnect(organizationId: string, event: WebhookEvent): Promise<void>;
  gaps: Pick<GapStore, "mayAsk">;
  /** Starts a run that reads the feed since its cursor. @throws DomainError where none can be started. */
  startGapRun(organizationId: string): Promise<void>;
  recordFailure(organizationId: string, event: WebhookEvent, error: unknown): Promise<void>;
  now: Clock;
};

export type Process = (received: WebhookReceived) => Promise<void>;

/** Reasons not to start a run that are none to worry: one runs already, or none can. The schedule's next run heals. */
const NO_RUN = ["sync_running", "not_connected", "circuit_open"];

/** Whether it took away the permission that this connection has: one made later has another. */
const endsConnection = (event: WebhookEvent, { connectionId, connectedAt }: EventConnection): boolean =>
  event.connectionId === connectionId && isSinceConnecting(connectedAt, event);

export const createProcess = (parts: ProcessParts): Process => {
  const { events, readConnection, claimRecords, apply, readRecords, reread, disconnect } = parts;
  const { gaps, startGapRun, recordFailure, now } = parts;

  const applyAll = async (organizationId: string, event: WebhookEvent): Promise<Outcome> => {
    const connection = await readConnection(organizationId);
    if (connection?.accountId !== event.accountId) return "ignored";
    // Where it must be made anew, the run that this starts reads the feed from its cursor on, and so this event.
    if (!(await claimRecords(organizationId, connection))) return "ignored";
    const options = { reread: reread(organizationId, connection), recordsSightings: true };
    await apply(organizationId, await trustedObservations(readRecords, organizationId, event, now()), options);
    return "applied";
  };

  const endConnection = async (organizationId: string, event: WebhookEvent): Promise<Outcome> => {
    const connection = await readConnection(organizationId);
    if (connection !== undefined && !endsConnection(event, connection)) return "ignored";
    // Also where it is gone: whoever removed it on this event's behalf may have died before all was done.
    await disconnect(organizationId, event);
    return "disconnected";
  };

  /** An event that comes late says that others may not have come: the feed has them. */
  const healGap = async (organizationId: string, event: WebhookEvent): Promise<void> => {
    if (!isLate(event) || !(await gaps.mayAsk({ organizationId, id: event.id }, now()))) return;
    try {
      await startGapRun(organizationId);
    } catch (error) {
      if (!(error instanceof DomainError && NO_RUN.includes(error.code))) throw error;
    }
  };

  /**
   * Processes an event once; again, it changes nothing.
   * @throws whatever is in the way, so that the queue tries again, and keeps it in the end.
   */
  return async ({ organizationId, eventId }) => {
    const event = await events.read(organizationId, eventId, now());
    // Erased, or older than what is kept.
    if (event === undefined || event.processedAt !== undefined) return;
    try {
      const act = event.isDeauthorization ? endConnection : applyAll;
      const outcome = await act(organizationId, event);
      if (outcome === "applied") await healGap(organizationId, event);
      await events.markProcessed({ organizationId, id: eventId }, outcome, now());
    } catch (error) {
      await recordFailure(organizationId, event, error);
      throw error;
    }
  };
};
