/**
 * What an erasure sweeps of a connection: the author of its last change. An erasure of all data also ends the connection
 * before it sweeps (shared/erasure/stop-writers.ts).
 */
import { type DataLocation, type ErasedAuthors, singleLocation } from "../work/location.ts";
import type { RecordConnectionChange } from "./connection-events.ts";
import type { ConnectionStore } from "./connection-store.ts";

export type ConnectionDependencies = {
  connections: Pick<ConnectionStore, "read">;
  recordConnectionChange: RecordConnectionChange;
};

/** An unrecorded change is recorded as an event first, because audits expect it. The later sweep of the events cleans it. */
export const connectionAuthor = (
  { connections, recordConnectionChange }: ConnectionDependencies,
  organizationId: string,
  { isErased }: ErasedAuthors,
): DataLocation =>
  singleLocation("connection", async () => {
    const { change } = await connections.read(organizationId);
    if (change?.userId === undefined || !isErased(change.userId)) return undefined;
    return () => recordConnectionChange(organizationId, change);
  });
