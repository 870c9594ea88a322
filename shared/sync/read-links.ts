/** Reads a page of the provider's list of links between payments and invoices (payment-links.ts). */
import { isUnreadable, ProviderError } from "../provider/provider-error.ts";
import type { Step } from "./run-context.ts";
import { failureOfType } from "./sync-failure.ts";
import { afterLinks, type LinksPosition, type SyncWork } from "./sync-work.ts";

/** The list has no filter by time: if the object that a page starts after is gone, it begins again. */
const MAX_RESTARTS = 3;

export const readLinks: Step<LinksPosition> = async (context, run, { after, pages = 0, restarts }) => {
  const continueAt = (at: SyncWork["at"], failures = run.work.failures) => ({
    ...run,
    work: { ...run.work, at, failures },
  });
  try {
    const page = await context.provider.listPaymentLinks({ after });
    if (page === undefined) return continueAt(afterLinks);
    await context.links.keep(run.id, pages, page.items);
    return continueAt(
      page.next === undefined ? afterLinks : { phase: "links", after: page.next, pages: pages + 1, restarts },
    );
  } catch (error) {
    const refused = error instanceof ProviderError ? error : undefined;
    if (refused?.reason === "missing" && after !== undefined && restarts < MAX_RESTARTS) {
      return continueAt({ phase: "links", pages, restarts: restarts + 1 });
    }
    const failure = failureOfType(error);
    // Without the list, links come only from events.
    if (isUnreadable(error)) return continueAt(afterLinks);
    return continueAt(afterLinks, { ...run.work.failures, payments: failure });
  }
};
