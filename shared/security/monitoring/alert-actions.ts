/**
 * The actions of POST …/security/alert: operators mark events; generate, acknowledge, assign, resolve and reopen alerts, and
 * comment on them.
 */
import { definedFields } from "../../json/defined-fields.ts";
import { inParallel } from "../../runtime/in-parallel.ts";
import type { RequestIdentity } from "../../terms/idempotency-key.ts";
import { requesterOf, type UserRequest } from "../../terms/requester.ts";
import { type Alert, type AlertChange, type ChangedAlert, MANUAL_RULE } from "../alerts/alert.ts";
import type { AlertDecisionStore, Decided, Decision } from "../alerts/alert-decision-store.ts";
import { alertHash, alertId } from "../alerts/alert-item.ts";
import type { NewNote } from "../alerts/alert-note.ts";
import type { AlertNoteStore } from "../alerts/alert-note-store.ts";
import type { AlertPublisher } from "../alerts/alert-publisher.ts";
import type { AlertReopeningStore } from "../alerts/alert-reopening-store.ts";
import { eventId, identityOf, timeOfEventId } from "../event-id.ts";
import type { Recorder } from "../recorder.ts";
import { sanitiseMetadata, sanitiseText } from "../redaction/redact-and-cut.ts";
import type { SecurityEventStore } from "../security-event-store.ts";
import type { AlertAction, AlertActionResult, GenerateAlert } from "./alert-request.ts";

type AlertRequest = UserRequest & { identity: RequestIdentity };

/** The limits of a request, once more after redaction: a marker may be longer than the text that it replaces. */
const TITLE_MAX_CHARACTERS = 256;
const MESSAGE_MAX_CHARACTERS = 1_024;
const COMMENT_MAX_CHARACTERS = 2_000;
const ID_MAX_CHARACTERS = 128;

const DECISIONS_AT_ONCE = 10;

/** Event ids stay as they are; any other text in an id's place is redacted. */
const sanitiseId = (id: string): string => (timeOfEventId(id) === undefined ? sanitiseText(id, ID_MAX_CHARACTERS) : id);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The alert of a request, even if another has the same title: its subject is its own id. A repeated request has the same
 * alert.
 * @param at epoch ms.
 * @param random 16 bytes.
 */
export const manualAlert = (
  { title, riskLevel, message, eventIds, metadata }: GenerateAlert,
  { at, random }: { at: number; random: Uint8Array },
): Alert => {
  const subject = eventId(at, random);
  const facts = metadata && sanitiseMetadata(metadata);
  return {
    id: alertId(alertHash("manual", MANUAL_RULE, subject), at, random),
    title: sanitiseText(title, TITLE_MAX_CHARACTERS),
    level: riskLevel,
    rule: MANUAL_RULE,
    subject,
    status: "open",
    count: 1,
    firstSeen: at,
    lastSeen: at,
    eventIds: [...new Set(eventIds?.map(sanitiseId))],
    ...definedFields({
      message: message && sanitiseText(message, MESSAGE_MAX_CHARACTERS),
      metadata: isObject(facts) ? facts : undefined,
    }),
    revision: 1,
  };
};

export type AlertActionDependencies = {
  alerts: AlertDecisionStore;
  reopenings: AlertReopeningStore;
  notes: Pick<AlertNoteStore, "add">;
  publisher: Pick<AlertPublisher, "publish">;
  events: Pick<SecurityEventStore, "markProcessed">;
  recorder: Pick<Recorder, "recordWithAlert">;
};

export const createAlertActions = (dependencies: AlertActionDependencies) => {
  const { alerts, reopenings, notes, publisher, events, recorder } = dependencies;

  /** Decides about each alert once, in any order. The results have the order of the request. */
  const decide = async (
    change: Exclude<AlertChange, "raised" | "repeated">,
    alertIds: readonly string[],
    { caller: { organizationId, userId }, identity }: AlertRequest,
    decideOne: (organizationId: string, id: string, decision: Decision) => Promise<Decided>,
  ) => {
    const { at, id: token } = identity;
    const ids = [...new Set(alertIds)];
    const decided = new Map<string, Decided>();
    try {
      await inParallel(ids, DECISIONS_AT_ONCE, async (id) => {
        decided.set(id, await decideOne(organizationId, id, { by: userId, now: at, token }));
      });
    } finally {
      // If one decision failed, the others are published nevertheless.
      const changes = [...decided.values()].flatMap((one): ChangedAlert[] =>
        one.outcome === "changed" ? [{ organizationId, alert: one.alert, change, at, note: one.note }] : [],
      );
      await publisher.publish(changes);
    }
    const idsOf = (outcome: Decided["outcome"]) => ids.filter((id) => decided.get(id)?.outcome === outcome);
    return { changed: idsOf("changed"), unchanged: idsOf("unchanged"), notFound: idsOf("notFound") };
  };

  const generate = async (action: GenerateAlert, { caller, origin, identity }: AlertRequest) => {
    const { at } = identity;
    const { organizationId } = caller;
    const random = identityOf("manual alert", organizationId, identity.id);
    const alert = manualAlert(action, { at, random });
    await alerts.put(organizationId, alert, identity);
    await recorder.recordWithAlert(
      {
        eventType: "MANUAL_ALERT_GENERATED",
        category: "system",
        riskLevel: alert.level,
        source: "user",
        organizationId,
        ...requesterOf({ caller, origin }),
        action: "generate_alert",
        success: true,
        metadata: { requestId: origin.requestId, alertId: alert.id },
      },
      { timestamp: at, identity: random },
    );
    await publisher.publish([{ organizationId, alert, change: "raised", at }]);
    return { alert };
  };

  /**
   * Carries out an action. Repeating an action changes nothing, except that each new request of `generate_alert` makes an
   * alert, and of `comment` a comment. Repeating a request completes it.
   * @throws DomainError `store_unavailable`; some ids may be done then, and the request may be sent again. DomainError
   *   `alert_superseded` if an alert cannot be opened again; nothing is done then, unless a newer alert was raised just now.
   */
  return async (action: AlertAction, request: AlertRequest): Promise<AlertActionResult> => {
    const { caller, identity } = request;
    if (action.action === "mark_processed") {
      const ids = [...new Set(action.eventIds)];
      const outcome = await events.markProcessed(caller.organizationId, ids, identity.at, identity);
      return { action: action.action, ...outcome };
    }
    if (action.action === "generate_alert") return { action: action.action, ...(await generate(action, request)) };
    if (action.action === "acknowledge") {
      const { changed, ...others } = await decide("acknowledged", action.alertIds, request, alerts.acknowledge);
      return { action: action.action, acknowledged: changed, ...others };
    }
    if (action.action === "resolve") {
      const { cause } = action;
      const { changed, ...others } = await decide(
        "resolved",
        action.alertIds,
        request,
        (organizationId, id, decision) => alerts.resolve(organizationId, id, { ...decision, cause }),
      );
      return { action: action.action, resolved: changed, ...others };
    }
    if (action.action === "reopen") {
      await reopenings.requireReopenable(caller.organizationId, action.alertIds, identity.at);
      const { changed, ...others } = await decide("reopened", action.alertIds, request, reopenings.reopen);
      return { action: action.action, reopened: changed, ...others };
    }
    const note: NewNote =
      action.action === "assign"
        ? { change: "assigned", assignee: action.assignee }
        : { change: "commented", text: sanitiseText(action.text, COMMENT_MAX_CHARACTERS) };
    const { changed, ...others } = await decide(note.change, action.alertIds, request, (organizationId, id, decision) =>
      notes.add(organizationId, id, note, decision),
    );
    return action.action === "assign"
      ? { action: action.action, assigned: changed, ...others }
      : { action: action.action, commented: changed, ...others };
  };
};
