/** POST …/mutes: creates a mute. docs/rules.md, "Mutes". */
import { definedFields } from "../json/defined-fields.ts";
import { isTimeZone, ZONE_EXPECTED } from "../json/zoned-fields.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { eventId, identityOf } from "../security/event-id.ts";
import type { RequestIdentity } from "../terms/idempotency-key.ts";
import type { UserRequest } from "../terms/requester.ts";
import { MAX_MUTE_MS } from "./longest-mute.ts";
import { MAX_OPEN_MUTES, type Mute, type MuteRequest, type MuteScope } from "./mute.ts";
import { muteChangeOf, type RecordMuteChange } from "./mute-events.ts";
import { type MuteItem, toMute } from "./mute-item.ts";
import type { MuteStore } from "./mute-store.ts";
import { nextEnd } from "./mute-times.ts";

/** If the request's instance crashes, the worker records the creation's event after this time. */
const RECORDED_WITHIN_MS = 60_000;

const invalid = (problem: string) => new DomainError("invalid_field", problem);

/** What the schema of requests cannot say. @throws DomainError `invalid_field`. */
const requireConsistent = ({ rules, subject, levels, weekly, includeCritical }: MuteRequest): void => {
  if (rules === undefined && levels === undefined) throw invalid("body: expected rules, levels or both");
  if (subject !== undefined && rules?.length !== 1) throw invalid("subject: needs exactly one rule");
  if (levels?.includes("CRITICAL") && !includeCritical) throw invalid("levels: CRITICAL needs includeCritical");
  if (weekly === undefined) return;
  if (weekly.from === weekly.to) throw invalid("weekly.to: expected another time than from");
  if (!isTimeZone(weekly.timeZone)) throw invalid(`weekly.timeZone: ${ZONE_EXPECTED}`);
};

/**
 * What a requested mute covers. @param at when the mute was requested, epoch ms: an earlier beginning counts as this.
 * @throws DomainError `invalid_field`.
 */
export const scopeOfRequest = (request: MuteRequest, at: number): MuteScope => {
  requireConsistent(request);
  const { rules, subject, levels, until, weekly, includeCritical } = request;
  const from = Math.max(request.from ?? at, at);
  if (from > at + MAX_MUTE_MS) throw invalid("from: expected a time at most 90 days ahead");
  if (until <= from) throw invalid(`until: expected a time in the future${from > at ? ", after from" : ""}`);
  if (until > from + MAX_MUTE_MS) throw invalid("until: expected a time at most 90 days after the mute's beginning");
  return { ...definedFields({ rules, subject, levels, weekly }), from, until, includeCritical };
};

type Dependencies = { mutes: Pick<MuteStore, "create" | "read">; recordChange: RecordMuteChange };

/** The returned function throws DomainError `invalid_field`, `too_many_mutes` and `store_unavailable`. */
export const createCreateMute =
  ({ mutes, recordChange }: Dependencies) =>
  async (request: MuteRequest, by: UserRequest & { identity: RequestIdentity }): Promise<Mute> => {
    const { organizationId, userId } = by.caller;
    const { id: requestId, at } = by.identity;
    const id = eventId(at, identityOf("mute", organizationId, requestId));
    const scope = scopeOfRequest(request, at);
    const mute: Omit<MuteItem, "ttl"> = {
      id,
      ...scope,
      reason: request.reason,
      createdBy: userId,
      createdAt: at,
      change: muteChangeOf("create_mute", by, at),
      hiddenAlerts: 0,
      hiddenNotifications: 0,
      hiddenLOW: 0,
      hiddenMEDIUM: 0,
      hiddenHIGH: 0,
      hiddenCRITICAL: 0,
    };
    const dueAt = Math.min(at + RECORDED_WITHIN_MS, nextEnd(scope, at));
    const result = await mutes.create(organizationId, mute, { dueAt, now: at });
    const stored = result === "too_many" ? undefined : await mutes.read(organizationId, id, at);
    if (stored === undefined) {
      const limit = `The organization has ${MAX_OPEN_MUTES} mutes that have not ended. End one first.`;
      throw new DomainError("too_many_mutes", limit);
    }
    await recordChange(organizationId, stored);
    return toMute(stored, at);
  };
