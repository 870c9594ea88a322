/** Raises the alerts of events and findings, and publishes each change. */
import { definedFields } from "../../json/defined-fields.ts";
import type { Clock } from "../../runtime/clock.ts";
import { identityOf } from "../event-id.ts";
import { sanitiseMetadata, sanitiseText } from "../redaction/redact-and-cut.ts";
import type { SecurityEvent } from "../security-event.ts";
import { Alert, type AlertTrigger, MAX_EVENT_IDS } from "./alert.ts";
import { alertHash, alertId } from "./alert-item.ts";
import type { AlertPublisher } from "./alert-publisher.ts";
import type { AlertRaisingStore } from "./alert-raising-store.ts";
import { attackOf } from "./attack-by-rule.ts";
import { ruleOfEvent, subjectOfEvent, titleOfEvent } from "./event-title.ts";
import type { Finding } from "./finding.ts";

const TITLE_MAX_CHARACTERS = 256;
const MESSAGE_MAX_CHARACTERS = 1_024;

const triggerOfEvent = (event: SecurityEvent): AlertTrigger => {
  const { id, riskLevel, errorMessage, timestamp } = event;
  return {
    kind: "event",
    rule: ruleOfEvent(event),
    subject: subjectOfEvent(event),
    title: titleOfEvent(event),
    level: riskLevel,
    ...definedFields({ message: errorMessage }),
    occurrence: id,
    eventIds: [id],
    firstSeen: timestamp,
    lastSeen: timestamp,
  };
};

export const triggerOfFinding = ({ evidence: { count, ...details }, ...finding }: Finding): AlertTrigger => ({
  ...finding,
  kind: "finding",
  title: sanitiseText(finding.title, TITLE_MAX_CHARACTERS),
  ...definedFields({ message: finding.message && sanitiseText(finding.message, MESSAGE_MAX_CHARACTERS) }),
  eventIds: [...finding.eventIds].sort().slice(-MAX_EVENT_IDS),
  evidence: { count, details: sanitiseMetadata(details) },
});

type Dependencies = {
  store: Pick<AlertRaisingStore, "raise">;
  publisher: Pick<AlertPublisher, "publish">;
  now: Clock;
  /** 16 bytes of randomness. */
  random: () => Uint8Array;
};

export type AlertRaiser = ReturnType<typeof createAlertRaiser>;

export const createAlertRaiser = ({ store, publisher, now, random }: Dependencies) => {
  const raise = async (organizationId: string, trigger: AlertTrigger): Promise<Alert> => {
    const at = now();
    const { alert, change } = await store.raise(organizationId, trigger, at);
    if (change !== undefined) await publisher.publish([{ organizationId, alert, change, at }]);
    return alert;
  };

  /** Publishes an alert of no organization, which is not stored. `idTime` and `identity` make its id. */
  const publishUnowned = async (trigger: AlertTrigger, idTime: number, identity: Uint8Array): Promise<Alert> => {
    const { kind, occurrence: _, evidence, attack = attackOf(trigger.rule), ...fields } = trigger;
    const alert = Alert.parse({
      ...fields,
      id: alertId(alertHash(kind, trigger.rule, trigger.subject), idTime, identity),
      status: "open",
      count: 1,
      evidence: evidence && { ...Object(evidence.details), count: evidence.count },
      attack,
      revision: 1,
    });
    const unpublished = await publisher.publish([{ alert, change: "raised", at: now() }]);
    if (unpublished.length > 0) throw new Error("The event bus did not take the alert of no organization.");
    return alert;
  };

  return {
    /**
     * Raises the alert of an event that reached the threshold. Raising it for the same event again changes nothing.
     * @throws DomainError `store_unavailable`, or Error if the bus did not take an alert of no organization: there is no
     *   alert then; try again.
     */
    async raiseForEvent(event: SecurityEvent): Promise<void> {
      const trigger = triggerOfEvent(event);
      if (event.organizationId === undefined) await publishUnowned(trigger, now(), random());
      else await raise(event.organizationId, trigger);
    },

    /**
     * Raises the alert of a finding, whatever the threshold. Raising it for the same finding again changes nothing; an
     * alert of no organization is published again under the same id.
     * @throws as raiseForEvent.
     */
    async raiseForFinding(organizationId: string | undefined, finding: Finding): Promise<Alert> {
      const trigger = triggerOfFinding(finding);
      if (organizationId !== undefined) return raise(organizationId, trigger);
      const { rule, subject, occurrence, lastSeen } = trigger;
      return publishUnowned(trigger, lastSeen, identityOf("finding", rule, subject, occurrence));
    },
  };
};
