/** Raises the alerts of fire drills. Apart from alert-raiser.ts, because only the worker of drills needs it. */
import type { Clock } from "../../runtime/clock.ts";
import type { Alert } from "./alert.ts";
import type { AlertPublisher } from "./alert-publisher.ts";
import { triggerOfFinding } from "./alert-raiser.ts";
import type { AlertRaisingStore } from "./alert-raising-store.ts";
import { DRILL_LABEL } from "./event-title.ts";
import type { Finding } from "./finding.ts";

const MESSAGE = "This is a drill: nothing has happened. The service tests that its alarms arrive.";

type Dependencies = {
  store: Pick<AlertRaisingStore, "raise">;
  publisher: Pick<AlertPublisher, "publish">;
  now: Clock;
};

/**
 * The returned function raises the alert of a drill, labelled as such. Raised for the same drill again, it is published again,
 * because an earlier attempt may have ended in between, and the outbox is swept too late for a drill. It throws DomainError
 * `store_unavailable`.
 */
export const createRaiseForDrill =
  ({ store, publisher, now }: Dependencies) =>
  async (organizationId: string, drillId: string, finding: Finding): Promise<Alert> => {
    const labelled = { ...finding, title: DRILL_LABEL + finding.title, message: MESSAGE };
    const at = now();
    const trigger = { ...triggerOfFinding(labelled), kind: "drill", occurrence: drillId } as const;
    const { alert } = await store.raise(organizationId, trigger, at);
    await publisher.publish([{ organizationId, alert, change: "raised", at }]);
    return alert;
  };
export type RaiseForDrill = ReturnType<typeof createRaiseForDrill>;
