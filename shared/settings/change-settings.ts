/**
 * PUT …/settings. Every change leaves exactly one security event: the write that makes a change also stores it in the
 * item, until its event is recorded. If the instance crashes in between, the next PUT records the event.
 */
import { definedFields } from "../json/defined-fields.ts";
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { writeLog } from "../runtime/log.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { identityOf } from "../security/event-id.ts";
import type { Recorder } from "../security/recorder.ts";
import type { NewSecurityEvent } from "../security/security-event.ts";
import { isInNetworks } from "../terms/cidr.ts";
import { requesterFields, requesterOf, type UserRequest } from "../terms/requester.ts";
import { restrictedRoles, type Settings, type SettingsChange } from "./settings.ts";
import type { SettingsStore } from "./settings-store.ts";

/** An event's metadata has at most 2 KB. A longer list is replaced by its added and removed elements. */
const MAX_WHOLE_BYTES = 1_200;

type List = readonly string[];

const isSame = (before: List, after: List): boolean =>
  before.length === after.length && before.every((one, index) => one === after[index]);

const difference = (from: List, to: List): Record<string, List> => {
  const whole = { from, to };
  if (Buffer.byteLength(JSON.stringify(whole)) <= MAX_WHOLE_BYTES) return whole;
  return { added: to.filter((one) => !from.includes(one)), removed: from.filter((one) => !to.includes(one)) };
};

/** The lists of the settings, by their names in events. A switch is a list of one word. */
const listsOf = ({ ipAllowlist, recordAccess, ...others }: Settings): [name: string, list: List][] => [
  ["ipAllowlist", ipAllowlist],
  ...restrictedRoles.map((role): [string, List] => [`recordAccess.${role}`, recordAccess[role]]),
  ["siemFeed", [others.siemFeed ? "on" : "off"]],
  ["accountActivity", [others.accountActivity ? "on" : "off"]],
  ["drill", [others.drill]],
];

const differences = (before: Settings, after: Settings): Record<string, Record<string, List>> => {
  const now = new Map(listsOf(after));
  return Object.fromEntries(
    listsOf(before).flatMap(([name, from]) => {
      const to = now.get(name) ?? [];
      return isSame(from, to) ? [] : [[name, difference(from, to)]];
    }),
  );
};

/** Whether any list differs, including its order and repetitions: lists are stored as sent. */
const hasChanged = (before: Settings, after: Settings): boolean => Object.keys(differences(before, after)).length > 0;

/** @param after the settings after the change. */
export const settingsChangedEvent = (
  organizationId: string,
  change: SettingsChange,
  after: Settings,
): NewSecurityEvent => ({
  eventType: "SETTINGS_CHANGED",
  category: "compliance",
  riskLevel: "MEDIUM",
  source: "user",
  organizationId,
  ...requesterFields(change),
  resource: "settings",
  resourceType: "provider_account",
  action: "change_settings",
  success: true,
  metadata: { requestId: change.requestId, ...differences(change.before, after) },
});

/** Of several concurrent changes, one is written in each attempt. */
const MAX_ATTEMPTS = 10;

type Dependencies = {
  store: Pick<SettingsStore, "readStored" | "replace" | "forgetChange">;
  recorder: Pick<Recorder, "record">;
  now: Clock;
};

/**
 * The returned function replaces an organization's settings. The same settings again change nothing and leave no event.
 * It throws DomainError `author_locked_out` and `store_unavailable`.
 */
export const createChangeSettings = ({ store, recorder, now }: Dependencies) => {
  const recordChange = async (organizationId: string, version: string, change: SettingsChange, after: Settings) => {
    const moment = { timestamp: change.at, identity: identityOf("settings", organizationId, version) };
    await recorder.record(settingsChangedEvent(organizationId, change, after), moment);
    await store.forgetChange(organizationId, version).catch((error: unknown) => {
      writeLog("warn", "Marking a change of settings as recorded failed", { cause: String(error) });
    });
  };

  return async (settings: Settings, request: UserRequest): Promise<Settings> => {
    const { organizationId } = request.caller;
    const { ipAddress, requestId } = request.origin;
    if (settings.ipAllowlist.length > 0 && !isInNetworks(ipAddress, settings.ipAllowlist)) {
      throw new DomainError(
        "author_locked_out",
        `ipAllowlist: expected a network with your own address ${ipAddress}, or you would be locked out`,
      );
    }
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (attempt > 0) await pauseBeforeRetry(attempt);
      const stored = await store.readStored(organizationId);
      if (stored.change !== undefined && stored.version !== undefined) {
        await recordChange(organizationId, stored.version, stored.change, stored.settings);
      }
      if (!hasChanged(stored.settings, settings)) return settings;
      const requester = definedFields(requesterOf(request));
      const change: SettingsChange = { before: stored.settings, at: now(), requestId, ...requester };
      const version = await store.replace(organizationId, settings, { version: stored.version, change });
      if (version === undefined) continue;
      await recordChange(organizationId, version, change, settings);
      return settings;
    }
    throw new DomainError("store_unavailable", "The settings are being changed by others. Try again.");
  };
};
