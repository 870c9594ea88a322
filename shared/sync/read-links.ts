/** A page of the list that says which payments belong to which invoices. */
import { ProviderError } from "../provider/provider-error.ts";
import type { Step } from "./run-context.ts";
import { failureOfType } from "./sync-failure.ts";
import { afterLinks, type LinksPosition, type SyncWork } from "./sync-work.ts";

/** The list has no filter by time: where an object that a page should start after is gone, it begins again. */
const MAX_RESTARTS = 3;

/** A provider without the list, or a key that may not read it: then links come by events alone. */
const NO_SUCH_LIST: readonly (number | undefined)[] = [403, 404];

export const readLinks: Step<LinksPosition> = async (context, run, { after, pages = 0, restarts }) => {
  const goOn = (at: SyncWork["at"], failures = run.work.failures) => ({ ...run, work: { ...run.work, at, failures } });
  try {
    const page = await context.provider.listPaymentLinks({ after });
    if (page === undefined) return goOn(afterLinks);
    await context.links.keep(run.id, pages, page.items);
    return goOn(
      page.next === undefined ? afterLinks : { phase: "links", after: page.next, pages: pages + 1, restarts },
    );
  } catch (error) {
    const refused = error instanceof ProviderError ? error : undefined;
    if (refused?.reason === "missing" && after !== undefined && restarts < MAX_RESTARTS) {
      return goOn({ phase: "links", pages, restarts: restarts + 1 });
    }
    const failure = failureOfType(error);
    if (NO_SUCH_LIST.includes(refused?.status) && refused?.reason !== "missing") return goOn(afterLinks);
    return goOn(afterLinks, { ...run.work.failures, payments: failure });
  }
};
