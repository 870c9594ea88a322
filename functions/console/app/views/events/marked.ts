/** Events that this page marked as processed: shown at once, and taken back if the service did not do it. */
import { signal } from "@preact/signals";
import { useAction } from "../../api/action.ts";
import { answer, api } from "../../api/client.ts";
import { asProblem } from "../../api/problem.ts";
import { serviceNow } from "../../clock.ts";
import { formatNumber } from "../../format.ts";
import { notify, notifyProblem } from "../../parts/notices.tsx";

/** The API takes as many ids in a request. */
export const MOST_AT_ONCE = 100;

/** When an event was marked, epoch milliseconds, by its id. Answers that were read before do not have it. */
export const markedAt = signal<ReadonlyMap<string, number>>(new Map());

const change = (ids: readonly string[], at: number | undefined): void => {
  const next = new Map(markedAt.value);
  for (const id of ids) {
    if (at === undefined) next.delete(id);
    else next.set(id, at);
  }
  markedAt.value = next;
};

const count = (ids: readonly string[]): string =>
  ids.length === 1 ? "The event" : `${formatNumber(ids.length)} events`;
const verb = (ids: readonly string[]): string => (ids.length === 1 ? "is" : "are");

export const useMarkProcessed = () => {
  const { isRunning, run } = useAction(async (ids: readonly string[], key: string) => {
    change(ids, serviceNow());
    try {
      const result = await answer(
        api.POST("/api/integrations/provider/security/alert", {
          params: { header: { "Idempotency-Key": key } },
          body: { action: "mark_processed", eventIds: [...ids] },
        }),
      );
      if (!("processed" in result)) return;
      const { processed, alreadyProcessed, notFound } = result;
      change(notFound, undefined);
      const done = [...processed, ...alreadyProcessed];
      if (done.length > 0) notify(`${count(done)} ${verb(done)} marked as processed.`);
      if (notFound.length > 0) notify(`${count(notFound)} ${verb(notFound)} no longer stored.`);
    } catch (error) {
      change(ids, undefined);
      notifyProblem(`${count(ids)} ${verb(ids)} not marked as processed.`, asProblem(error));
      throw error;
    }
  });
  return { isRunning, mark: (ids: readonly string[]) => void run(ids) };
};
