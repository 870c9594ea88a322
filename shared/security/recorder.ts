/** From what a caller of the recorder says to the event that is stored: clean, bounded, and with its place in time. */
/**
 * The one way to record a security event. It never fails its caller: what cannot be stored goes to the log and to the
 * dead letters instead.
 */

import type { Clock } from "../runtime/clock.ts";
import { expiryOf, hourName } from "../terms/hours.ts";
import { isAtLeast, type RiskLevel, riskOfError } from "../terms/risk-levels.ts";
import { eventId } from "./event-id.ts";
import { scopeOf } from "./event-item.ts";
import { sanitiseMetadata, sanitiseText } from "./redaction/redact-and-cut.ts";
import type { NewSecurityEvent, SecurityEvent } from "./security-event.ts";
import type { SecurityEventStore, StoredEvent } from "./security-event-store.ts";

/** Decisions: docs/decisions.md, "Security events". */
const USER_AGENT_MAX_CHARACTERS = 256;
const MESSAGE_MAX_CHARACTERS = 512;
const FIELD_MAX_CHARACTERS = 256;

export type EventSettings = {
  /** Below it nothing is recorded. */
  logLevel: RiskLevel;
  /** An event at or above it raises an alert. */
  alertThreshold: RiskLevel;
  retentionDays: number;
};

/**
 * Whether an event raises an alert: where it reaches the threshold, and where the provider refuses an organization's
 * credentials, whatever the threshold, since nothing is synced from then on. What a stranger can send raises none so.
 */
const raisesAlert = ({ eventType, resourceType, source }: NewSecurityEvent, risk: RiskLevel, threshold: RiskLevel) =>
  isAtLeast(risk, threshold) ||
  (eventType === "AUTHENTICATION_FAILURE" && resourceType === "provider_account" && source !== "webhook");

type Identity = { timestamp: number; now: number; random: Uint8Array };

const cleanTexts = (event: NewSecurityEvent): Partial<SecurityEvent> => {
  const bounds = {
    userAgent: USER_AGENT_MAX_CHARACTERS,
    errorMessage: MESSAGE_MAX_CHARACTERS,
    ipAddress: FIELD_MAX_CHARACTERS,
    resource: FIELD_MAX_CHARACTERS,
    action: FIELD_MAX_CHARACTERS,
    errorCode: FIELD_MAX_CHARACTERS,
  } as const;
  const clean: Partial<SecurityEvent> = {};
  for (const [name, max] of Object.entries(bounds) as [keyof typeof bounds, number][]) {
    const value = event[name];
    if (value !== undefined) clean[name] = sanitiseText(value, max);
  }
  return clean;
};

/** The risk of an event: as it was said, or as the kind of its error has it. */
export const levelOf = (said: NewSecurityEvent): RiskLevel => said.riskLevel ?? riskOfError(said.errorKind);

/**
 * The event to store. Organization, user and session keep their spelling, because they are what it is found by; every
 * other text is redacted and cut.
 * @param identity.timestamp when it happened, and `now` when it is recorded, both epoch ms.
 * @param identity.random 16 bytes; a digest's where the same event must get the same id again.
 */
export const buildEvent = (
  said: NewSecurityEvent,
  { alertThreshold }: Pick<EventSettings, "alertThreshold">,
  { timestamp, now, random }: Identity,
): SecurityEvent => {
  const { metadata, errorKind, ...fields } = said;
  const riskLevel = levelOf(said);
  const alertGenerated = raisesAlert(said, riskLevel, alertThreshold);
  const facts = errorKind === undefined ? metadata : { ...metadata, errorCategory: errorKind };
  return {
    ...fields,
    ...cleanTexts(said),
    riskLevel,
    ...(facts !== undefined && { metadata: sanitiseMetadata(facts) }),
    id: eventId(timestamp, random),
    processed: false,
    alertGenerated,
    ...(alertGenerated && { alertLevel: riskLevel }),
    timestamp,
    createdAt: now,
  };
};

/** An event whose record or whose alert failed, and why. */
export type DeadLetter = { event: SecurityEvent; stage: "record" | "alert"; error: unknown };

export type RecorderParts = {
  events: Pick<SecurityEventStore, "putAll">;
  /** Says that an hour of a partition has events which no rollup holds yet. `hour` as in `2026-11-21T10`. */
  hours: { markHourOpen(scope: string, hour: string): Promise<void> };
  alerts: { raiseForEvent(event: SecurityEvent): Promise<void> };
  deadLetters: { keep(letter: DeadLetter): Promise<void> };
  settings: EventSettings;
  now: Clock;
  /** 16 bytes of randomness. */
  random: () => Uint8Array;
};

/** When it happened, if not now; and what makes its id, where the same event may be recorded twice. */
type Moment = { timestamp?: number; identity?: Uint8Array };

/** How many hours an instance remembers to have marked; a forgotten one is marked again, which costs a write. */
const MAX_MARKED_HOURS = 500;

export type Recorder = ReturnType<typeof createRecorder>;

/** A recorder for one instance of a function. */
export const createRecorder = ({ events, hours, alerts, deadLetters, settings, now, random }: RecorderParts) => {
  const marked = new Set<string>();

  /** An hour that is over may be closed already, so a late event always marks it; the current one is marked once. */
  const markHours = async (stored: readonly StoredEvent[]) => {
    const currentHour = hourName(now());
    const places = new Map(stored.map(({ event }) => [`${scopeOf(event)} ${hourName(event.timestamp)}`, event]));
    for (const [place, event] of places) {
      const hour = hourName(event.timestamp);
      if (hour === currentHour && marked.has(place)) continue;
      await hours.markHourOpen(scopeOf(event), hour);
      if (marked.size >= MAX_MARKED_HOURS) marked.clear();
      marked.add(place);
    }
  };

  const write = async (stored: readonly StoredEvent[]): Promise<void> => {
    await markHours(stored);
    await events.putAll(stored);
  };

  const keep = (stage: DeadLetter["stage"], failed: readonly SecurityEvent[], error: unknown) =>
    Promise.all(failed.map((event) => deadLetters.keep({ event, stage, error })));

  const store = async (stored: readonly StoredEvent[]): Promise<void> => {
    const recorded = stored.map(({ event }) => event);
    try {
      await write(stored);
    } catch (error) {
      await keep("record", recorded, error);
      return;
    }
    for (const event of recorded.filter(({ alertGenerated }) => alertGenerated)) {
      await alerts.raiseForEvent(event).catch((error: unknown) => keep("alert", [event], error));
    }
  };

  const build = (said: NewSecurityEvent, { timestamp = now(), identity = random() }: Moment = {}): StoredEvent => ({
    event: buildEvent(said, settings, { timestamp, now: now(), random: identity }),
    ttl: expiryOf(timestamp, settings.retentionDays),
  });

  const isRecorded = (said: NewSecurityEvent) => isAtLeast(levelOf(said), settings.logLevel);

  return {
    /** Records an event; undefined where its level is below the one that is recorded. */
    async record(said: NewSecurityEvent, moment?: Moment): Promise<SecurityEvent | undefined> {
      if (!isRecorded(said)) return undefined;
      const stored = build(said, moment);
      await store([stored]);
      return stored.event;
    },

    /** Records many events of one moment with few calls. */
    async recordAll(said: readonly NewSecurityEvent[]): Promise<void> {
      const stored = said.filter(isRecorded).map((one) => build(one));
      if (stored.length > 0) await store(stored);
    },

    /**
     * Records an event whose alert is the caller's own: it says that one was raised, and raises none.
     * It is recorded whatever the level, because the alert names it.
     */
    async recordWithAlert(said: NewSecurityEvent): Promise<SecurityEvent> {
      const { event, ttl } = build(said);
      const own = { ...event, alertGenerated: true, alertLevel: event.riskLevel };
      await write([{ event: own, ttl }]).catch((error: unknown) => keep("record", [own], error));
      return own;
    },

    /**
     * Records an event that was kept as a dead letter, and raises its alert; either again if need be, which changes
     * nothing. An event whose time is over is let go.
     * @throws whatever keeps it from being recorded this time.
     */
    async restore(event: SecurityEvent): Promise<void> {
      const ttl = expiryOf(event.timestamp, settings.retentionDays);
      if (ttl * 1000 <= now()) return;
      await write([{ event, ttl }]);
      if (event.alertGenerated && event.eventType !== "MANUAL_ALERT_GENERATED") await alerts.raiseForEvent(event);
    },
  };
};
