/**
 * Which payments belong to which invoices, as the provider's list says it in a full run. The list is read before that of
 * the payments and kept until then, beside the ids of pages: each payment is then written once, with its invoice.
 */
import type { PaymentLinked } from "../records/observation.ts";
import type { Clock } from "../runtime/clock.ts";
import type { ListName, PageIdStore } from "./page-id-store.ts";

/** Ids of the provider have no such character. */
const SEPARATOR = " ";

export type RunLinks = ReturnType<typeof createRunLinks>;

/** The links that an organization's runs were told of. Both throw DomainError `store_unavailable`. */
export const createRunLinks = (pageIds: Pick<PageIdStore, "put" | "readAll">, organizationId: string, clock: Clock) => {
  const listOf = (runId: string): ListName => ({ organizationId, runId, type: "links" });
  /** By the id of the payment; read when the first payments of a run ask, when its list is whole. */
  let known: { runId: string; links: Promise<Map<string, PaymentLinked>> } | undefined;

  const readAll = async (runId: string): Promise<Map<string, PaymentLinked>> => {
    const links = new Map<string, PaymentLinked>();
    const now = Math.floor(clock() / 1_000);
    for await (const page of pageIds.readAll(listOf(runId))) {
      for (const text of page) {
        const [id = "", invoiceId = ""] = text.split(SEPARATOR);
        const link = { kind: "linked", type: "payments", id, invoiceId, observedAt: { from: now, to: now } } as const;
        // Newest first, and a link never changes.
        if (!links.has(id)) links.set(id, link);
      }
    }
    return links;
  };

  return {
    /** Keeps a page of the list; a write unit per KB. */
    keep: (runId: string, page: number, links: readonly PaymentLinked[]): Promise<void> =>
      pageIds.put(
        listOf(runId),
        page,
        links.map(({ id, invoiceId }) => id + SEPARATOR + invoiceId),
        clock(),
      ),

    /** The links of payments, of those that have one; for the first payments, a read unit per 4 KB of all links. */
    async of(runId: string, ids: readonly string[]): Promise<PaymentLinked[]> {
      if (known?.runId !== runId) known = { runId, links: readAll(runId) };
      const links = await known.links;
      return ids.flatMap((id) => links.get(id) ?? []);
    },
  };
};
