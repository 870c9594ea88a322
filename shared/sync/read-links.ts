/** A page of the list that says which payments belong to which invoices. */
import { ProviderError } from "../provider/provider-error.ts";
import { plusProgress, type Step } from "./run-context.ts";
import { failureOfType } from "./sync-failure.ts";
import { beforeFeed, type LinksPosition } from "./sync-work.ts";

/** The list has no filter by time: where an object that a page should start after is gone, it begins again. */
const MAX_RESTARTS = 3;

/** A provider without the list, or a key that may not read it: then links come by events alone. */
const NO_SUCH_LIST: readonly (number | undefined)[] = [403, 404];

export const readLinks: Step<LinksPosition> = async (context, run, { after, restarts }) => {
  const goOn = (at: ActivePosition, changes: Partial<typeof run> = {}) => ({
    ...run,
    ...changes,
    work: { ...run.work, at },
  });
  try {
    const page = await context.provider.listPaymentLinks({ after });
    if (page === undefined) return goOn(beforeFeed);
    const progress = plusProgress(run.progress, {}, await context.apply(page.items, "list"));
    const at = page.next === undefined ? beforeFeed : ({ phase: "links", after: page.next, restarts } as const);
    return goOn(at, { progress });
  } catch (error) {
    const refused = error instanceof ProviderError ? error : undefined;
    if (refused?.reason === "missing" && after !== undefined && restarts < MAX_RESTARTS) {
      return goOn({ phase: "links", restarts: restarts + 1 });
    }
    const failure = failureOfType(error);
    if (NO_SUCH_LIST.includes(refused?.status) && refused?.reason !== "missing") return goOn(beforeFeed);
    const failures = { ...run.work.failures, payments: failure };
    return { ...run, work: { ...run.work, failures, at: beforeFeed } };
  }
};

type ActivePosition = LinksPosition | typeof beforeFeed;
