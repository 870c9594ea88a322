/** Port: counts failures of the store and of the event bus. Detection implements it (shared/detection/failure-monitor.ts). */

export type FailingPart = "store" | "bus";

/** Counts a failure; never throws. */
export type NoteFailure = (organizationId: string | undefined, part: FailingPart) => Promise<void>;
