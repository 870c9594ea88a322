/** Resolves alerts whose cause is gone, such as a rule that is on again: nobody need decide about them. */
import type { Clock } from "../../runtime/clock.ts";
import type { AlertCause, AlertDecisionStore } from "./alert-decision-store.ts";
import type { AlertPublisher } from "./alert-publisher.ts";

type Dependencies = {
  alerts: Pick<AlertDecisionStore, "findUnresolved" | "resolve">;
  publisher: Pick<AlertPublisher, "publish">;
  now: Clock;
};

/**
 * Resolves the unresolved alert of a cause, if there is one, and publishes the change. The alert then has `resolvedAt` and
 * no `resolvedBy`. Repeatable. @throws DomainError `store_unavailable`.
 */
export type ResolveCause = (organizationId: string, cause: AlertCause) => Promise<void>;

export const createResolveCause =
  ({ alerts, publisher, now }: Dependencies): ResolveCause =>
  async (organizationId, cause) => {
    const id = await alerts.findUnresolved(organizationId, cause);
    if (id === undefined) return;
    const at = now();
    const decided = await alerts.resolve(organizationId, id, { now: at });
    if (decided.outcome === "changed") {
      await publisher.publish([{ organizationId, alert: decided.alert, change: "resolved", at }]);
    }
  };
