import type { Clock } from "../../runtime/clock.ts";
import { DomainError } from "../../runtime/domain-error.ts";
import type { DueHourStore } from "./due-hour-store.ts";

export type AwaitWritersDependencies = {
  dueHours: Pick<DueHourStore, "takeLease" | "releaseLease">;
  now: Clock;
  sleep: (ms: number) => Promise<unknown>;
};

/** A writer holds the lease for seconds; one that has died holds it for six minutes. */
const ATTEMPTS = 30;
const PAUSE_MS = 1_000;
/** Taking and releasing the lease takes milliseconds. */
const LEASE_MS = 30_000;

export type AwaitWriters = (scope: string) => Promise<void>;

/**
 * Waits until no writer of an organization's objects is under way. Objects that appear later have events that were read
 * later. The returned function throws DomainError `store_unavailable` if a writer does not end; the erasure must be
 * continued later.
 */
export const createAwaitWriters =
  ({ dueHours, now, sleep }: AwaitWritersDependencies): AwaitWriters =>
  async (scope) => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0) await sleep(PAUSE_MS);
      const lease = await dueHours.takeLease(scope, now() + LEASE_MS);
      if (lease !== undefined) return dueHours.releaseLease(scope, lease);
    }
    throw new DomainError("store_unavailable", "Objects of the organization are being written.");
  };
