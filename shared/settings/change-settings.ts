/**
 * What PUT …/settings does. Every change leaves one security event, however many change at once and whoever dies: the
 * change lies in the item, by the very put that made it, until its event was recorded, and else the next PUT records it.
 */

import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { writeLog } from "../runtime/log.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { identityOf } from "../security/event-id.ts";
import type { Recorder } from "../security/recorder.ts";
import type { OrganizationCaller } from "../terms/caller.ts";
import type { Origin } from "../terms/requester.ts";
import { isInNetworks } from "./cidr.ts";
import type { Settings } from "./settings.ts";
import { hasChanged, type SettingsChange, settingsChangedEvent } from "./settings-changed.ts";
import type { SettingsStore } from "./settings-store.ts";

/** Of several that change at once, all but one must look again each time. */
const MAX_ROUNDS = 10;

type Parts = {
  store: Pick<SettingsStore, "readStored" | "replace" | "forgetChange">;
  recorder: Pick<Recorder, "record">;
  now: Clock;
};

export type ChangeSettings = (
  settings: Settings,
  by: { caller: Pick<OrganizationCaller, "organizationId" | "userId" | "sessionId">; origin: Origin },
) => Promise<Settings>;

/**
 * The returned function replaces an organization's settings; the same settings again change nothing and are no event.
 * It throws DomainError `author_locked_out` and `store_unavailable`.
 */
export const createChangeSettings = ({ store, recorder, now }: Parts): ChangeSettings => {
  const tell = async (organizationId: string, version: string, change: SettingsChange, after: Settings) => {
    const moment = { timestamp: change.at, identity: identityOf("settings", organizationId, version) };
    await recorder.record(settingsChangedEvent(organizationId, change, after), moment);
    await store.forgetChange(organizationId, version).catch((error: unknown) => {
      writeLog("warn", "A recorded change of settings was not marked as such", { cause: String(error) });
    });
  };

  return async (settings, { caller: { organizationId, userId, sessionId }, origin }) => {
    if (settings.ipAllowlist.length > 0 && !isInNetworks(origin.ipAddress, settings.ipAllowlist)) {
      throw new DomainError(
        "author_locked_out",
        `ipAllowlist: expected a network with your own address ${origin.ipAddress}, or you would be locked out`,
      );
    }
    for (let round = 0; round < MAX_ROUNDS; round++) {
      if (round > 0) await pauseBeforeRetry(round);
      const stored = await store.readStored(organizationId);
      if (stored.change !== undefined && stored.version !== undefined) {
        await tell(organizationId, stored.version, stored.change, stored.settings);
      }
      if (!hasChanged(stored.settings, settings)) return settings;
      const change: SettingsChange = {
        before: stored.settings,
        at: now(),
        userId,
        ...(sessionId !== undefined && { sessionId }),
        ...origin,
      };
      const version = await store.replace(organizationId, settings, { version: stored.version, change });
      if (version === undefined) continue;
      await tell(organizationId, version, change, settings);
      return settings;
    }
    throw new DomainError("store_unavailable", "The settings are being changed by others. Try again.");
  };
};
