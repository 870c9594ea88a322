/** What mutes do to a change of an alert, before filters of time: docs/rules.md, "Mutes". */
import type { HiddenStore, Withheld } from "../mutes/hidden-store.ts";
import type { MuteItem } from "../mutes/mute-item.ts";
import type { MuteStore } from "../mutes/mute-store.ts";
import { type Acting, actingOn } from "../mutes/mute-times.ts";
import type { Alert } from "../security/alerts/alert.ts";
import { timeOfAlertId } from "../security/alerts/alert-item.ts";
import { isMutable } from "../security/alerts/alert-rules.ts";
import type { AlertChange } from "./claim-notification.ts";

export type MutingDependencies = Pick<MuteStore, "live"> & Pick<HiddenStore, "hide">;

/**
 * The mutes that act on a change: on the alert now, and since it was raised or its level rose. Read strongly: half a read
 * unit if there are none. A change before a mute's span began is not withheld, even if it is dispatched later.
 */
export const readActing = async (
  { live }: Pick<MutingDependencies, "live">,
  { organizationId, alert }: Pick<AlertChange, "organizationId" | "alert">,
  now: number,
): Promise<Acting<MuteItem>[]> => {
  if (!isMutable(alert.rule)) return [];
  const changedAt = Math.max(timeOfAlertId(alert.id) ?? 0, alert.escalatedAt ?? 0);
  return actingOn(await live(organizationId), alert, now).filter(({ span }) => changedAt >= span.from);
};

/** Hides an alert in all mutes that act on it. @returns false if each of them has ended since it was read. */
export const hideIn = async (
  { hide }: Pick<MutingDependencies, "hide">,
  acting: readonly Acting<MuteItem>[],
  { organizationId, alert }: { organizationId: string; alert: Pick<Alert, "id" | "level"> },
  withheld: readonly Withheld[],
): Promise<boolean> => {
  const results = await Promise.all(acting.map((one) => hide(organizationId, one, alert, withheld)));
  return results.includes("hidden");
};
