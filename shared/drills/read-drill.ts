/**
 * How far a drill came. Its steps are stored in the drill; what became of the notifications is read from their deliveries,
 * until the drill has ended. A drill ends by its times, whoever looks at it and when: it succeeds if every destination has
 * taken the notification within the limit, and fails as soon as that cannot happen any more.
 */

import type { NotificationDeliveryStore } from "../notifications/delivery-store.ts";
import type { NoticeStore } from "../notifications/notice-store.ts";
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import type { Alert } from "../security/alerts/alert.ts";
import { riskLevels } from "../terms/risk-levels.ts";
import { DRILL_LIMIT_MS, type Drill, type DrillDelivery } from "./drill.ts";
import { type StoredDrill, toDrill } from "./drill-item.ts";
import type { DrillEnd, DrillStore } from "./drill-store.ts";

export type SettleDependencies = {
  drills: Pick<DrillStore, "end">;
  notices: Pick<NoticeStore, "read">;
  deliveries: Pick<NotificationDeliveryStore, "read">;
  now: Clock;
};

const READS_AT_ONCE = 5;

/** How a drill ends by now; undefined if it goes on. Pure. @param deliveries in the order of its destinations. */
export const endOf = (
  { startedAt, alertedAt }: Pick<StoredDrill, "startedAt" | "alertedAt">,
  deliveries: readonly DrillDelivery[],
  now: number,
): DrillEnd | undefined => {
  const limit = startedAt + DRILL_LIMIT_MS;
  const isInTime = (at: number | undefined): boolean => at !== undefined && at <= limit;
  if (isInTime(alertedAt) && deliveries.every(({ acceptedAt }) => isInTime(acceptedAt))) {
    const endedAt = Math.max(alertedAt ?? 0, ...deliveries.map(({ acceptedAt = 0 }) => acceptedAt));
    return { status: "succeeded", endedAt, deliveries };
  }
  const isOver = now >= limit;
  const failures = deliveries.flatMap(({ failedAt }) => failedAt ?? []);
  const isDecided = isInTime(alertedAt) && failures.length > 0 && deliveries.every(isEnded);
  if (!isOver && !isDecided) return undefined;
  const endedAt = isOver ? limit : Math.max(...failures);
  return {
    status: "failed",
    endedAt,
    deliveries: deliveries.map((one) => (isInTime(one.acceptedAt ?? one.failedAt) ? one : failedAt(one, limit))),
  };
};

const isEnded = ({ acceptedAt, failedAt }: DrillDelivery): boolean => (acceptedAt ?? failedAt) !== undefined;

const failedAt = ({ destinationId }: DrillDelivery, at: number): DrillDelivery => ({ destinationId, failedAt: at });

/** The returned function reads what became of a drill, and ends the drill if it is over. */
export const createSettleDrill = ({ drills, notices, deliveries, now }: SettleDependencies) => {
  const readDelivery = async (
    organizationId: string,
    alertId: string,
    destinationId: string,
  ): Promise<DrillDelivery> => {
    const notice = await notices.read(organizationId, destinationId, alertId);
    const deliveryId = riskLevels.map((level) => notice[level]?.deliveryId).find((id) => id !== undefined);
    if (deliveryId === undefined) return { destinationId };
    const { status, endedAt } = (await deliveries.read(organizationId, { destinationId, deliveryId }, now())) ?? {};
    if (endedAt === undefined || status === undefined || status === "pending") return { destinationId };
    return { destinationId, [status === "delivered" ? "acceptedAt" : "failedAt"]: endedAt };
  };

  const readDeliveries = async (organizationId: string, drill: StoredDrill): Promise<DrillDelivery[]> => {
    const { alertId, destinationIds = [] } = drill;
    const found = destinationIds.map((destinationId): DrillDelivery => ({ destinationId }));
    if (alertId === undefined) return found;
    await inParallel(destinationIds.entries(), READS_AT_ONCE, async ([i, destinationId]) => {
      found[i] = await readDelivery(organizationId, alertId, destinationId);
    });
    return found;
  };

  return async (
    organizationId: string,
    drill: StoredDrill,
  ): Promise<{ drill: StoredDrill; deliveries: readonly DrillDelivery[] }> => {
    if (drill.status !== "running") return { drill, deliveries: drill.deliveries ?? [] };
    const time = now();
    const deliveries = await readDeliveries(organizationId, drill);
    const end = endOf(drill, deliveries, time);
    if (end === undefined) return { drill, deliveries };
    const ended = (await drills.end(organizationId, drill.id, end)) ?? {
      ...drill,
      ...end,
      deliveries: [...deliveries],
    };
    return { drill: ended, deliveries: ended.deliveries ?? [] };
  };
};
export type SettleDrill = ReturnType<typeof createSettleDrill>;

type ReadDependencies = {
  drills: Pick<DrillStore, "find">;
  settle: SettleDrill;
  /** Undefined if it is not stored any more. */
  findAlert(organizationId: string, alertId: string): Promise<Alert | undefined>;
  now: Clock;
};

/** GET …/security/drill/{id}. The returned function throws DomainError `drill_not_found` and `store_unavailable`. */
export const createReadDrill =
  ({ drills, settle, findAlert, now }: ReadDependencies) =>
  async (organizationId: string, id: string): Promise<Drill> => {
    const stored = await drills.find(organizationId, id, now());
    if (stored === undefined) throw new DomainError("drill_not_found", "There is no such drill.");
    const { drill, deliveries } = await settle(organizationId, stored);
    const { alertId } = drill;
    const alert = alertId === undefined ? undefined : await findAlert(organizationId, alertId);
    return toDrill(drill, deliveries, alert ?? {});
  };
