/**
 * The security events of mutes. Each creation and each end leaves exactly one: the write that makes it also stores it, until
 * its event is recorded. If the instance crashes in between, the worker of mutes records the event within minutes.
 */
import { definedFields } from "../json/defined-fields.ts";
import { asSideWork } from "../runtime/deadline.ts";
import { writeLog } from "../runtime/log.ts";
import { identityOf } from "../security/event-id.ts";
import type { Recorder } from "../security/recorder.ts";
import type { NewSecurityEvent } from "../security/security-event.ts";
import { requesterFields, requesterOf, type UserRequest } from "../terms/requester.ts";
import { coversHigh, levelsOf } from "./mute.ts";
import type { MuteChange, MuteItem } from "./mute-item.ts";
import type { MuteStore } from "./mute-store.ts";
import { nextEnd } from "./mute-times.ts";

/** A change by a user. @param at epoch ms. */
export const muteChangeOf = (action: MuteChange["action"], by: UserRequest, at: number): MuteChange => ({
  action,
  at,
  by: { requestId: by.origin.requestId, ...requesterOf(by) },
});

/** An event's metadata has at most 2 KB, so many rules are only counted. */
const MAX_NAMED_RULES = 20;

const muteEvent = (organizationId: string, mute: MuteItem, { action, by }: MuteChange): NewSecurityEvent => {
  const { id, rules, subject, weekly, from, until, reason, includeCritical } = mute;
  const isCreation = action === "create_mute";
  return {
    eventType: isCreation ? "ALERT_MUTE_CREATED" : "ALERT_MUTE_ENDED",
    category: "security",
    riskLevel: includeCritical ? "HIGH" : "MEDIUM",
    source: by === undefined ? "system" : "user",
    organizationId,
    ...(by && requesterFields(by)),
    resource: id,
    resourceType: "security_event",
    action,
    success: true,
    metadata: {
      ...(by && { requestId: by.requestId }),
      // Decides whether the creation is an alert (security/alerts/event-title.ts).
      coversHigh: coversHigh(mute),
      levels: levelsOf(mute),
      ...(rules && (rules.length > MAX_NAMED_RULES ? { ruleCount: rules.length } : { rules })),
      ...definedFields({ subject, weekly }),
      from,
      until,
      includeCritical,
      reason,
      ...(!isCreation && { hiddenAlerts: mute.hiddenAlerts, hiddenNotifications: mute.hiddenNotifications }),
    },
  };
};

/** Records the change of a mute that has one, and then forgets it. The mute itself may be older than the change. */
export type RecordMuteChange = (organizationId: string, mute: MuteItem) => Promise<void>;

type Dependencies = {
  recorder: Pick<Recorder, "record">;
  mutes: Pick<MuteStore, "noteRecorded">;
};

export const createMuteRecorder =
  ({ recorder, mutes }: Dependencies): RecordMuteChange =>
  async (organizationId, mute) => {
    const { id, change } = mute;
    if (change === undefined) return;
    const { action, at } = change;
    // Recorded again, it is the same event.
    const moment = { timestamp: at, identity: identityOf("mute", action, id) };
    await recorder.record(muteEvent(organizationId, mute, change), moment);
    const dueAt = action === "create_mute" ? nextEnd(mute, at) : at;
    await asSideWork(() => mutes.noteRecorded(organizationId, id, change, dueAt)).catch((error: unknown) => {
      writeLog("warn", "Noting the recorded change of a mute failed", { muteId: id, cause: String(error) });
    });
  };
