/**
 * Which payments belong to which invoices. A full run reads the provider's list of these links before the list of
 * payments, and keeps it beside the page ids. Each payment is then written once, with its invoice.
 */
import type { PaymentLinked } from "../records/observation.ts";
import type { Clock } from "../runtime/clock.ts";
import type { ListName, PageIdStore } from "./page-id-store.ts";

/** The provider's ids do not contain it. */
const SEPARATOR = " ";

export type RunLinks = ReturnType<typeof createRunLinks>;

/** The stored links of an organization's runs. Both functions throw DomainError `store_unavailable`. */
export const createRunLinks = (pageIds: Pick<PageIdStore, "put" | "readAll">, organizationId: string, clock: Clock) => {
  const listOf = (runId: string): ListName => ({ organizationId, runId, type: "links" });
  /** By the payment's id. Read with the first payments of a run, when the list is complete. */
  let cached: { runId: string; links: Promise<Map<string, PaymentLinked>> } | undefined;

  const readAll = async (runId: string): Promise<Map<string, PaymentLinked>> => {
    const links = new Map<string, PaymentLinked>();
    const now = Math.floor(clock() / 1_000);
    for await (const page of pageIds.readAll(listOf(runId))) {
      for (const text of page) {
        const [id = "", invoiceId = ""] = text.split(SEPARATOR);
        const link = { kind: "linked", type: "payments", id, invoiceId, observedAt: { from: now, to: now } } as const;
        // A link never changes, so keep the first of equal ones.
        if (!links.has(id)) links.set(id, link);
      }
    }
    return links;
  };

  return {
    /** Stores a page of the list; a write unit per KB. */
    keep: (runId: string, page: number, links: readonly PaymentLinked[]): Promise<void> =>
      pageIds.put(
        listOf(runId),
        page,
        links.map(({ id, invoiceId }) => id + SEPARATOR + invoiceId),
        clock(),
      ),

    /** The links of payments that have one; for the first payments of a run, a read unit per 4 KB of all links. */
    async of(runId: string, ids: readonly string[]): Promise<PaymentLinked[]> {
      if (cached?.runId !== runId) cached = { runId, links: readAll(runId) };
      const links = await cached.links;
      return ids.flatMap((id) => links.get(id) ?? []);
    },
  };
};
