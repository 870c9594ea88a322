/** Events that this page marked as processed: shown at once, and taken back if the service did not do it. */
import { signal } from "@preact/signals";
import { useAction } from "../../api/action.ts";
import { answer, api, once } from "../../api/client.ts";
import { asProblem } from "../../api/problem.ts";
import { notify, notifyProblem } from "../../parts/notices.ts";
import { serviceNow } from "../../words/clock.ts";
import { isOrAre, plural } from "../../words/format.ts";

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

const count = (ids: readonly string[]): string => (ids.length === 1 ? "The event" : plural(ids.length, "event"));

export const useMarkProcessed = () => {
  const { isRunning, run } = useAction(async (ids: readonly string[], key: string) => {
    change(ids, serviceNow());
    try {
      const body = { action: "mark_processed" as const, eventIds: [...ids] };
      const path = "/api/integrations/provider/security/alert";
      const result = await answer(api.POST(path, { params: once(key), body }));
      if (!("processed" in result)) return;
      const { processed, alreadyProcessed, notFound } = result;
      change(notFound, undefined);
      const done = [...processed, ...alreadyProcessed];
      if (done.length > 0) notify(`${count(done)} ${isOrAre(done.length)} marked as processed.`);
      if (notFound.length > 0) notify(`${count(notFound)} ${isOrAre(notFound.length)} no longer stored.`);
    } catch (error) {
      change(ids, undefined);
      notifyProblem(`${count(ids)} ${isOrAre(ids.length)} not marked as processed.`, asProblem(error));
      throw error;
    }
  });
  return { isRunning, mark: (ids: readonly string[]) => void run(ids) };
};
