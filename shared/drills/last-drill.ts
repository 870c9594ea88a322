/** The last fire drill of an organization, as its reports show it (shared/reports/evidence-fields.ts). */
import { definedFields } from "../json/defined-fields.ts";
import type { Alert } from "../security/alerts/alert.ts";
import { firstIdAt } from "../security/event-id.ts";
import type { DrillStore } from "./drill-store.ts";
import type { SettleDrill } from "./read-drill.ts";

type Dependencies = {
  drills: Pick<DrillStore, "latest">;
  settle: SettleDrill;
  /** Undefined if it is not stored any more. */
  findAlert(organizationId: string, alertId: string): Promise<Alert | undefined>;
};

/** The returned function reads the last drill that began before a time, epoch ms. It throws DomainError `store_unavailable`. */
export const createReadLastDrill =
  ({ drills, settle, findAlert }: Dependencies) =>
  async (organizationId: string, before: number, now: number) => {
    const latest = await drills.latest(organizationId, firstIdAt(before), now);
    if (latest === undefined) return undefined;
    const { drill, deliveries } = await settle(organizationId, latest);
    const { id, status, startedAt, alertedAt, endedAt, alertId } = drill;
    const alert = alertId === undefined ? undefined : await findAlert(organizationId, alertId);
    return {
      id,
      status,
      startedAt,
      destinations: deliveries.length,
      accepted: deliveries.filter(({ acceptedAt }) => acceptedAt !== undefined).length,
      ...definedFields({
        alertedAt,
        endedAt,
        acknowledgedAt: alert?.acknowledgedAt,
        acknowledgedBy: alert?.acknowledgedBy,
      }),
    };
  };
