/**
 * Every hour: announces transitions that their instance could not announce, because it crashed or the bus was down, and
 * that no reader of the circuit has announced since (announce.ts). It also checks for an outage, because the last
 * transitions may have followed right after a count (check-outage.ts).
 */
import { chunksOf } from "../runtime/chunks.ts";
import type { Announcer } from "./announce.ts";
import type { CircuitStore } from "./circuit-store.ts";

const CIRCUITS_PER_READ = 600;
/** No circuit begins with less of the function's time left; the next hour announces the others. */
const MARGIN_MS = 20_000;

export type SweepAnnouncementsDependencies = {
  connectedOrganizations: () => AsyncIterable<string>;
  store: Pick<CircuitStore, "withUnannounced" | "read">;
  announcer: Pick<Announcer, "announceOverdue" | "settle">;
  checkOutage: () => Promise<void>;
};

const announceOverdue = async (
  { connectedOrganizations, store, announcer }: SweepAnnouncementsDependencies,
  remainingMs: () => number,
): Promise<number> => {
  const organizations: string[] = [];
  for await (const organizationId of connectedOrganizations()) organizations.push(organizationId);
  let overdue = 0;
  for (const chunk of chunksOf(organizations, CIRCUITS_PER_READ)) {
    for (const organizationId of await store.withUnannounced(chunk)) {
      if (remainingMs() < MARGIN_MS) return overdue;
      announcer.announceOverdue(organizationId, await store.read(organizationId));
      await announcer.settle();
      overdue++;
    }
  }
  return overdue;
};

/** @returns how many circuits had transitions to announce. @throws DomainError `store_unavailable`. */
export const sweepAnnouncements = async (
  dependencies: SweepAnnouncementsDependencies,
  remainingMs: () => number,
): Promise<number> => {
  const overdue = await announceOverdue(dependencies, remainingMs);
  await dependencies.checkOutage();
  return overdue;
};
