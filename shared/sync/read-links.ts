/** Reads a page of the provider's list of links between payments and invoices (payment-links.ts). */
import { ProviderError } from "../provider/provider-error.ts";
import type { Step } from "./run-context.ts";
import { failureOfType } from "./sync-failure.ts";
import { afterLinks, type LinksPosition, type SyncWork } from "./sync-work.ts";

/** The list has no filter by time: if the object that a page starts after is gone, it begins again. */
const MAX_RESTARTS = 3;

/** A provider without this list, or a key without permission for it: then links come only from events. */
const NO_SUCH_LIST: readonly (number | undefined)[] = [403, 404];

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
    if (NO_SUCH_LIST.includes(refused?.status) && refused?.reason !== "missing") return continueAt(afterLinks);
    return continueAt(afterLinks, { ...run.work.failures, payments: failure });
  }
};
