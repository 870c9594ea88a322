/** How alerts come about: what each cause says of the alert that it raises. Pure; finding.ts has detection's. */
/** Raises the alerts of events and findings, and publishes what changed. */

import type { Clock } from "../../runtime/clock.ts";
import type { RiskLevel } from "../../terms/risk-levels.ts";
import { identityOf } from "../event-id.ts";
import type { Json } from "../redaction/redact.ts";
import { type EventType, eventTypes, type SecurityEvent } from "../security-event.ts";
import { Alert } from "./alert.ts";
import { type AlertKind, alertHash, alertId } from "./alert-item.ts";
import type { AlertPublisher } from "./alert-publisher.ts";
import type { AlertRaisingStore } from "./alert-raising-store.ts";
import { type Finding, raisingOfFinding } from "./finding.ts";

/**
 * A reason to raise an alert: a new one, or the unresolved one of the same rule and subject again.
 * Its texts are redacted and cut already. Times are those of the evidence, in epoch ms.
 */
export type Raising = {
  kind: Exclude<AlertKind, "manual">;
  rule: string;
  subject: string;
  title: string;
  level: RiskLevel;
  message?: string;
  /** Names this very reason: one that comes twice counts once. Of two, the later sorts after the earlier. */
  occurrence: string;
  eventIds: readonly string[];
  evidence?: { count: number; details: Json };
  firstSeen: number;
  lastSeen: number;
};

export const EVENT_RULE = "event_threshold";
export const MANUAL_RULE = "manual";

const isOurs = (eventType: string): eventType is EventType => Object.hasOwn(eventTypes, eventType);

/**
 * Whom or what an event is about. Failed authentication is an address's: whoever floods us with tokens of many users
 * raises one alert. Everything else is a user's, or else a resource's.
 */
const subjectOf = ({ eventType, category, userId, ipAddress, resource }: SecurityEvent): string => {
  const user = userId && `user:${userId}`;
  const address = ipAddress && `address:${ipAddress}`;
  const about = (category === "authentication" ? (address ?? user) : (user ?? address)) ?? resource;
  return about === undefined ? eventType : `${eventType} ${about}`;
};

/** The raising of an alert that says that one event reached the threshold. */
export const raisingOfEvent = (event: SecurityEvent): Raising => {
  const { id, eventType, riskLevel, errorMessage, timestamp } = event;
  return {
    kind: "event",
    rule: EVENT_RULE,
    subject: subjectOf(event),
    title: isOurs(eventType) ? eventTypes[eventType] : eventType,
    level: riskLevel,
    ...(errorMessage !== undefined && { message: errorMessage }),
    occurrence: id,
    eventIds: [id],
    firstSeen: timestamp,
    lastSeen: timestamp,
  };
};

export type AlertRaiserParts = {
  store: Pick<AlertRaisingStore, "raise">;
  publisher: Pick<AlertPublisher, "publish">;
  now: Clock;
  /** 16 bytes of randomness. */
  random: () => Uint8Array;
};

export type AlertRaiser = ReturnType<typeof createAlertRaiser>;

export const createAlertRaiser = ({ store, publisher, now, random }: AlertRaiserParts) => {
  const raise = async (organizationId: string, raising: Raising): Promise<Alert> => {
    const at = now();
    const { alert, change } = await store.raise(organizationId, raising, at);
    if (change !== undefined) await publisher.publish([{ organizationId, alert, change, at }]);
    return alert;
  };

  /** Publishes the alert of a reason of no organization: it is on the bus and nowhere else. */
  const publishUnowned = async (raising: Raising, id: string, at: number): Promise<Alert> => {
    const { rule, subject, title, level, message, eventIds, evidence, firstSeen, lastSeen } = raising;
    const alert = Alert.parse({
      ...{ id, title, level, rule, subject, status: "open", count: 1, firstSeen, lastSeen },
      eventIds: [...eventIds],
      ...(message !== undefined && { message }),
      ...(evidence !== undefined && { evidence: { ...Object(evidence.details), count: evidence.count } }),
      revision: 1,
    });
    const unpublished = await publisher.publish([{ alert, change: "raised", at }]);
    if (unpublished.length > 0) throw new Error("The event bus did not take the alert of no organization.");
    return alert;
  };

  return {
    /**
     * Raises the alert of an event that reached the threshold; for the same event again it does nothing.
     * @throws DomainError `store_unavailable`, or Error where the alert is of no organization and the bus did not take
     *   it: in both cases there is no alert, and it may be tried again.
     */
    async raiseForEvent(event: SecurityEvent): Promise<void> {
      if (event.organizationId !== undefined) {
        await raise(event.organizationId, raisingOfEvent(event));
        return;
      }
      const at = now();
      const raising = raisingOfEvent(event);
      await publishUnowned(raising, alertId(alertHash(raising.kind, raising.rule, raising.subject), at, random()), at);
    },

    /**
     * Raises the alert of a finding, whatever the threshold; for the same finding again it does nothing. One of no
     * organization is published again, under the same id.
     * @throws DomainError `store_unavailable`, or Error where it is of no organization and the bus did not take it.
     */
    async raiseForFinding(organizationId: string | undefined, finding: Finding): Promise<Alert> {
      const raising = raisingOfFinding(finding);
      if (organizationId !== undefined) return raise(organizationId, raising);
      const { kind, rule, subject, occurrence, lastSeen } = raising;
      const identity = identityOf("finding", rule, subject, occurrence);
      return publishUnowned(raising, alertId(alertHash(kind, rule, subject), lastSeen, identity), now());
    },
  };
};
