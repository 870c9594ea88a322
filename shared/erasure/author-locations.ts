/** Who changed the connection, the settings, a destination of notifications or the circuit, and why. */
import type { CircuitStore } from "../circuit-breaker/circuit-store.ts";
import type { RecordConnectionChange } from "../connection/connection-events.ts";
import type { ConnectionStore } from "../connection/connection-store.ts";
import type { DestinationStore } from "../notifications/destination-store.ts";
import { createDestinationRecorder } from "../notifications/notification-events.ts";
import { identityOf } from "../security/event-id.ts";
import type { Recorder } from "../security/recorder.ts";
import { settingsChangedEvent } from "../settings/change-settings.ts";
import type { SettingsStore } from "../settings/settings-store.ts";
import { type DataLocation, singleLocation } from "./location.ts";
import type { SettingsAuthorStore } from "./settings-author-store.ts";

export type AuthorDependencies = {
  connections: Pick<ConnectionStore, "read">;
  recordConnectionChange: RecordConnectionChange;
  settings: Pick<SettingsStore, "readStored" | "forgetChange">;
  authors: Pick<SettingsAuthorStore, "read" | "forget">;
  circuits: Pick<CircuitStore, "read" | "forget">;
  destinations: Pick<DestinationStore, "list" | "listDeletions" | "forgetChange">;
  recorder: Pick<Recorder, "record">;
};

/** Which authors are erased: by their id, and where a reason mentions them. */
export type ErasedAuthors = { isErased(userId: string): boolean; mentions(text: string): boolean };

export const everyAuthor: ErasedAuthors = { isErased: () => true, mentions: () => true };

/**
 * The locations of all authors. An unrecorded change of the connection, the settings or a destination is recorded as an event first, because
 * audits expect it. The sweep of the events, which must come later, removes the person from the event.
 */
export const authorLocations = (
  { connections, recordConnectionChange, settings, authors, circuits, destinations, recorder }: AuthorDependencies,
  organizationId: string,
  { isErased, mentions }: ErasedAuthors,
): DataLocation[] => [
  singleLocation("connection", async () => {
    const { change } = await connections.read(organizationId);
    if (change?.userId === undefined || !isErased(change.userId)) return undefined;
    return () => recordConnectionChange(organizationId, change);
  }),

  singleLocation("settingsChange", async () => {
    const { change, version, settings: after } = await settings.readStored(organizationId);
    if (change === undefined || version === undefined || !isErased(change.userId)) return undefined;
    return async () => {
      const moment = { timestamp: change.at, identity: identityOf("settings", organizationId, version) };
      await recorder.record(settingsChangedEvent(organizationId, change, after), moment);
      await settings.forgetChange(organizationId, version);
    };
  }),

  singleLocation("settingsAuthor", async () => {
    const author = await authors.read(organizationId);
    return author === undefined || !isErased(author) ? undefined : () => authors.forget(organizationId, author);
  }),

  singleLocation("destinationChanges", async () => {
    const [stored, deletions] = await Promise.all([
      destinations.list(organizationId),
      destinations.listDeletions(organizationId),
    ]);
    const erased = [...stored.flatMap(({ change }) => change ?? []), ...deletions].filter(
      ({ userId }) => userId !== undefined && isErased(userId),
    );
    if (erased.length === 0) return undefined;
    const record = createDestinationRecorder({ recorder, destinations });
    return async () => {
      for (const change of erased) await record(organizationId, change);
    };
  }),

  // If the circuit changes meanwhile, the next pass erases the rest.
  singleLocation("circuit", async () => {
    const { starts } = await circuits.read(organizationId);
    const erased = [...new Set(starts.flatMap(({ by }) => (by !== undefined && isErased(by) ? [by] : [])))];
    const hasReason = starts.some(({ reason }) => reason !== undefined && mentions(reason));
    if (erased.length === 0 && !hasReason) return undefined;
    return async () => {
      for (const author of erased.length === 0 ? [""] : erased) {
        const circuit = await circuits.read(organizationId);
        const isStored = circuit.starts.some(
          ({ by, reason }) => by === author || (reason !== undefined && mentions(reason)),
        );
        if (isStored) await circuits.forget(organizationId, circuit, author, mentions);
      }
    };
  }),
];
