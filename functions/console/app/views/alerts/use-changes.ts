/** Changes of alerts, shown at once and taken back if the service refuses them. Several may be on their way. */
import { useRef, useState } from "preact/hooks";
import { useCaller } from "../../access.ts";
import { answer, api } from "../../api/client.ts";
import { asProblem } from "../../api/problem.ts";
import type { Alert } from "../../api/types.ts";
import { notify, notifyProblem } from "../../parts/notices.ts";
import { serviceNow } from "../../words/clock.ts";
import { type AlertChange, changed, failureText, isChangedBy, outcomeOf, outcomeText } from "./change.ts";

type Sent = { ids: ReadonlySet<string>; change: AlertChange; by: string; at: number };

const applied = <A extends Alert>(alert: A, { ids, change, ...who }: Sent): A =>
  ids.has(alert.id) ? changed(alert, change, who) : alert;

export type Changes = {
  /** An alert with the changes that are on their way. */
  expected: <A extends Alert>(alert: A) => A;
  send: (alerts: readonly Alert[], change: AlertChange) => Promise<void>;
};

/** @param keep applies the changes that the service made to what it answered before, and reads that again. */
export const useChanges = (keep: (change: <A extends Alert>(alert: A) => A) => void): Changes => {
  const { userId } = useCaller();
  const [sent, setSent] = useState<readonly Sent[]>([]);
  const keepNow = useRef(keep);
  keepNow.current = keep;
  return {
    expected: (alert) => sent.reduce((before, one) => applied(before, one), alert),
    async send(alerts, change) {
      const effective = alerts.filter((alert) => isChangedBy(alert, change));
      if (effective.length === 0) {
        if (alerts.length > 0) notify("Nothing to change: it is so already.");
        return;
      }
      const alertIds = effective.map(({ id }) => id);
      const one: Sent = { ids: new Set(alertIds), change, by: userId, at: serviceNow() };
      setSent((before) => [...before, one]);
      try {
        const path = "/api/integrations/provider/security/alert";
        const result = await answer(api.POST(path, { body: { ...change, alertIds } }));
        const ids = new Set(outcomeOf(result).changed);
        keepNow.current((alert) => applied(alert, { ...one, ids }));
        notify(outcomeText(change, result));
      } catch (error) {
        notifyProblem(failureText(change, effective), asProblem(error));
      } finally {
        setSent((before) => before.filter((other) => other !== one));
      }
    },
  };
};
