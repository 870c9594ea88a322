/**
 * The recorder: the only way to record a security event. It never fails its caller: an event that cannot be stored goes
 * to the dead letters (dead-letters.ts).
 */
import { definedFields } from "../json/defined-fields.ts";
import { wellFormed } from "../json/well-formed.ts";
import type { Clock } from "../runtime/clock.ts";
import { expiryOf, hourName } from "../terms/hours.ts";
import { isAtLeast, type RiskLevel, riskOfError } from "../terms/risk-levels.ts";
import { EVENT_RULE } from "./alerts/alert.ts";
import { ruleOfEvent } from "./alerts/event-title.ts";
import { eventId } from "./event-id.ts";
import { scopeOf } from "./event-item.ts";
import { sanitiseMetadata, sanitiseText } from "./redaction/redact-and-cut.ts";
import { maxCharacters, type NewSecurityEvent, type SecurityEvent } from "./security-event.ts";
import type { SecurityEventStore, StoredEvent } from "./security-event-store.ts";

/** An event that was not recorded, or whose alert was not raised, and why. */
export type DeadLetter = { event: SecurityEvent; stage: "record" | "alert"; error: unknown };

export type RecorderDependencies = {
  events: Pick<SecurityEventStore, "put">;
  /** Marks an hour of a partition as having events that no rollup counts yet. `hour` as in `2026-11-21T10`. */
  hours: { markHourOpen(scope: string, hour: string): Promise<void> };
  alerts: { raiseForEvent(event: SecurityEvent): Promise<void> };
  deadLetters: { keep(letter: DeadLetter): Promise<void> };
  settings: {
    /** Events below it are not recorded. */
    logLevel: RiskLevel;
    /** An event at or above it raises an alert. */
    alertThreshold: RiskLevel;
    retentionDays: number;
  };
  now: Clock;
  /** 16 bytes of randomness. */
  random: () => Uint8Array;
};

/** When the event happened, if not now, and the bytes of its id, if the same event may be recorded twice. */
export type EventMoment = { timestamp?: number; identity?: Uint8Array };

/** The texts of an event that are redacted and cut. Decisions: docs/decisions.md, "Security events". */
const textFields = Object.keys(maxCharacters) as (keyof typeof maxCharacters)[];

const sanitisedTexts = (event: NewSecurityEvent): Partial<SecurityEvent> => {
  const texts: Partial<SecurityEvent> = {};
  for (const name of textFields) {
    const text = event[name];
    if (text !== undefined) texts[name] = sanitiseText(text, maxCharacters[name]);
  }
  return texts;
};

/** The risk level of an event: its own, or the level of its kind of error. */
const levelOf = ({ riskLevel, errorKind }: NewSecurityEvent): RiskLevel => riskLevel ?? riskOfError(errorKind);

/** Whether an event is about a paused or silenced destination, a mute, or a rule that is off: alerts no longer arrive. */
const isSilence = (event: NewSecurityEvent): boolean =>
  ruleOfEvent({ ...event, riskLevel: levelOf(event) }) !== EVENT_RULE;

/**
 * Whether an event raises an alert. Two kinds do whatever the threshold: rejected credentials of an organization's
 * connection, because nothing is synced from then on (a refused token or a forged webhook, which anybody can send, does
 * not), and a paused or silenced destination, a mute of serious alerts, or a rule that is off. An event of a drill raises
 * none: the drill's finding does.
 */
const raisesAlert = (event: NewSecurityEvent, threshold: RiskLevel): boolean =>
  event.drill !== true &&
  (isAtLeast(levelOf(event), threshold) ||
    isSilence(event) ||
    (event.eventType === "AUTHENTICATION_FAILURE" && event.errorKind === "authentication"));

/** Whether an event is recorded whatever its level: one about a silence, or of a drill. */
const isAlwaysRecorded = (event: NewSecurityEvent): boolean => event.drill === true || isSilence(event);

/** How many hours an instance remembers as marked. Marking a forgotten hour again costs a write. */
const MAX_MARKED_HOURS = 500;

export type Recorder = ReturnType<typeof createRecorder>;

/** A recorder for one instance of a function. */
export const createRecorder = ({ events, hours, alerts, deadLetters, settings, now, random }: RecorderDependencies) => {
  const markedHours = new Set<string>();

  /** A past hour may be closed already, so each of its events marks it; the current hour is marked once. */
  const markHour = async (event: SecurityEvent) => {
    const [scope, hour] = [scopeOf(event), hourName(event.timestamp)];
    if (hour === hourName(now()) && markedHours.has(`${scope} ${hour}`)) return;
    await hours.markHourOpen(scope, hour);
    if (markedHours.size >= MAX_MARKED_HOURS) markedHours.clear();
    markedHours.add(`${scope} ${hour}`);
  };

  /**
   * The leaf of an event is of its whole hour, so an event that comes later must be told from one that was not sealed. An event
   * of a drill has no leaf, and marks no hour: nothing counts or judges it.
   */
  const write = async ({ event, ttl }: StoredEvent): Promise<void> => {
    const isOfDrill = event.drill === true;
    if (!isOfDrill) await markHour(event);
    const isLate = hourName(event.timestamp) !== hourName(now());
    const seal = event.organizationId === undefined || isOfDrill ? undefined : { salt: random(), isLate };
    await events.put({ event, ttl, seal });
  };

  /** Organization, user and session keep their spelling, because events are found by them; other texts are redacted. */
  const build = (
    newEvent: NewSecurityEvent,
    { timestamp = now(), identity = random() }: EventMoment = {},
  ): StoredEvent => {
    const { metadata, errorKind, ...fields } = newEvent;
    const riskLevel = levelOf(newEvent);
    const alertGenerated = raisesAlert(newEvent, settings.alertThreshold);
    const facts = errorKind === undefined ? metadata : { ...metadata, errorCategory: errorKind };
    const event = {
      ...fields,
      ...sanitisedTexts(newEvent),
      riskLevel,
      ...definedFields({
        metadata: facts && sanitiseMetadata(facts),
        alertLevel: alertGenerated ? riskLevel : undefined,
      }),
      id: eventId(timestamp, identity),
      processed: false,
      alertGenerated,
      timestamp,
      createdAt: now(),
    };
    // No canonical JSON has a lone surrogate.
    return { event: wellFormed(event), ttl: expiryOf(timestamp, settings.retentionDays) };
  };

  return {
    /** Records an event. @returns undefined if its level is below the log level, and it is not recorded whatever its level. */
    async record(newEvent: NewSecurityEvent, moment?: EventMoment): Promise<SecurityEvent | undefined> {
      if (!isAtLeast(levelOf(newEvent), settings.logLevel) && !isAlwaysRecorded(newEvent)) return undefined;
      const stored = build(newEvent, moment);
      const { event } = stored;
      let stage: DeadLetter["stage"] = "record";
      try {
        await write(stored);
        stage = "alert";
        if (event.alertGenerated) await alerts.raiseForEvent(event);
      } catch (error) {
        await deadLetters.keep({ event, stage, error });
      }
      return event;
    },

    /**
     * Records an event, whatever its level, whose alert the caller has raised: the event has `alertGenerated`, but raises
     * no alert itself.
     */
    async recordWithAlert(newEvent: NewSecurityEvent, moment: EventMoment): Promise<void> {
      const { event, ttl } = build(newEvent, moment);
      const alerted = { ...event, alertGenerated: true, alertLevel: event.riskLevel };
      await write({ event: alerted, ttl }).catch((error: unknown) =>
        deadLetters.keep({ event: alerted, stage: "record", error }),
      );
    },

    /**
     * Records a dead letter's event and raises its alert. Both may be repeated. An expired event is dropped.
     * @throws DomainError `store_unavailable`, or Error if the bus did not take the alert: restore the event later.
     */
    async restore(event: SecurityEvent): Promise<void> {
      const ttl = expiryOf(event.timestamp, settings.retentionDays);
      if (ttl * 1000 <= now()) return;
      await write({ event: wellFormed(event), ttl });
      if (event.alertGenerated && event.eventType !== "MANUAL_ALERT_GENERATED") await alerts.raiseForEvent(event);
    },
  };
};
