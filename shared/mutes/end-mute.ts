/** DELETE …/mutes/{id}: ends a mute. What it has hidden is sent by its worker (end-due-mutes.ts). docs/rules.md, "Mutes". */
import { definedFields } from "../json/defined-fields.ts";
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { MUTED_RULE } from "../security/alerts/alert.ts";
import type { ResolveCause } from "../security/alerts/alert-resolver.ts";
import type { UserRequest } from "../terms/requester.ts";
import { coversHigh } from "./mute.ts";
import { muteChangeOf, type RecordMuteChange } from "./mute-events.ts";
import type { MuteItem } from "./mute-item.ts";
import type { MuteStore } from "./mute-store.ts";
import { stateOf } from "./mute-times.ts";

export const muteNotFound = () => new DomainError("mute_not_found", "There is no such mute.");

/** Resolves the alert that tells of a mute, if it has one. Repeatable. */
export const createResolveMuteAlert =
  (resolve: ResolveCause) =>
  async (organizationId: string, mute: Pick<MuteItem, "id" | "levels" | "includeCritical">): Promise<void> => {
    if (coversHigh(mute)) await resolve(organizationId, { kind: "event", rule: MUTED_RULE, subject: mute.id });
  };
export type ResolveMuteAlert = ReturnType<typeof createResolveMuteAlert>;

type Dependencies = {
  mutes: Pick<MuteStore, "read" | "end">;
  recordChange: RecordMuteChange;
  resolveAlert: ResolveMuteAlert;
  now: Clock;
};

/** The returned function may be repeated. It throws DomainError `mute_not_found` and `store_unavailable`. */
export const createEndMute =
  ({ mutes, recordChange, resolveAlert, now }: Dependencies) =>
  async (id: string, by: UserRequest): Promise<void> => {
    const { organizationId, userId } = by.caller;
    const at = now();
    const mute = await mutes.read(organizationId, id, at);
    if (mute === undefined) throw muteNotFound();
    // Also of an end whose request died after its write.
    await recordChange(organizationId, mute);
    if (stateOf(mute, at) === "ended") return;
    const change = muteChangeOf("end_mute", by, at);
    if (!(await mutes.end(organizationId, id, change))) return;
    await recordChange(organizationId, { ...mute, ...definedFields({ endedAt: at, endedBy: userId }), change });
    await resolveAlert(organizationId, mute);
  };
