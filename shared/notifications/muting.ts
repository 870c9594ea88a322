/** What mutes do to a change of an alert, before filters of time: docs/rules.md, "Mutes". */
import type { HiddenStore, Withheld } from "../mutes/hidden-store.ts";
import type { MuteItem } from "../mutes/mute-item.ts";
import type { MuteStore } from "../mutes/mute-store.ts";
import { type Acting, actingOn, isAbout } from "../mutes/mute-times.ts";
import type { Alert } from "../security/alerts/alert.ts";
import { timeOfAlertId } from "../security/alerts/alert-item.ts";
import { isMutable } from "../security/alerts/alert-rules.ts";
import type { AlertChange } from "./claim-notification.ts";

export type MutingDependencies = Pick<MuteStore, "live"> & Pick<HiddenStore, "hide" | "isPending">;

/** The mutes that act on a change: on the alert now, and since it was raised or its level rose. */
export type Muting = {
  acting: readonly Acting<MuteItem>[];
  /** Whether the alert waits for the end of a mute, or will do so once its raising is dispatched. */
  isRaisingHidden(): Promise<boolean>;
};

/**
 * Reads the mutes strongly: half a read unit if there are none. A change before a mute's span began is not withheld, even
 * if it is dispatched later.
 */
export const readMuting = async (
  { live, isPending }: Pick<MutingDependencies, "live" | "isPending">,
  { organizationId, alert }: Pick<AlertChange, "organizationId" | "alert">,
  now: number,
): Promise<Muting> => {
  const about = isMutable(alert.rule) ? (await live(organizationId)).filter((mute) => isAbout(mute, alert)) : [];
  const changedAt = Math.max(timeOfAlertId(alert.id) ?? 0, alert.escalatedAt ?? 0);
  const acting = actingOn(about, alert, now).filter(({ span }) => changedAt >= span.from);
  return {
    acting,
    async isRaisingHidden() {
      if (acting.length > 0) return true;
      const pending = about.map(({ id }) => isPending(organizationId, id, alert.id));
      return (await Promise.all(pending)).includes(true);
    },
  };
};

/** Hides an alert in all mutes that act on it. @returns false if each of them has ended since it was read. */
export const hideIn = async (
  { hide }: Pick<MutingDependencies, "hide">,
  { acting }: Pick<Muting, "acting">,
  { organizationId, alert }: { organizationId: string; alert: Pick<Alert, "id" | "level"> },
  withheld: readonly Withheld[],
): Promise<boolean> => {
  const results = await Promise.all(acting.map((one) => hide(organizationId, one, alert, withheld)));
  return results.includes("hidden");
};
