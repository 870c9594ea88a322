/**
 * Counters as bytes: about seven per combination, where JSON takes about a hundred. Statistics of 90 days read 90 such
 * items and pay for every byte.
 *
 * The first byte is the version. Each combination then has: the code of its type (0: length and text follow); one byte for
 * category, risk level and two flags; and LEB128 numbers: events, failures, timed, and the total time. A flag omits a
 * number that is zero or equal to `events`. The total time is doubled: even for whole milliseconds, odd for microseconds.
 * Pure.
 */
import type { RiskLevel } from "../../terms/risk-levels.ts";
import type { Category } from "../security-event.ts";
import type { Counter, Counters } from "./counters.ts";

const VERSION = 1;

/**
 * The codes are stored for months, so never change or reuse one. A new type of security-event.ts gets the next code; a
 * type without a code is stored as text, which works but is four times as long.
 */
export const typeCodes: Readonly<Record<string, number>> = {
  PROVIDER_SYNC_STARTED: 1,
  PROVIDER_SYNC_COMPLETED: 2,
  PROVIDER_SYNC_FAILED: 3,
  PROVIDER_CONNECTION_ESTABLISHED: 4,
  PROVIDER_CONNECTION_REMOVED: 5,
  PROVIDER_TOKEN_REFRESH: 6,
  AUTHENTICATION_FAILURE: 7,
  PERMISSION_DENIED: 8,
  RATE_LIMIT_EXCEEDED: 9,
  MANUAL_ALERT_GENERATED: 10,
  PROVIDER_REQUEST: 11,
  DATA_READ: 12,
  CIRCUIT_BREAKER_CHANGED: 13,
  SYSTEM_OUTAGE: 14,
  SETTINGS_CHANGED: 15,
  WEBHOOK_RECEIVED: 16,
  WEBHOOK_NOT_APPLIED: 17,
  ERASURE_REQUESTED: 18,
  ERASURE_COMPLETED: 19,
  WEBHOOK_SECRETS_CHANGED: 20,
  WEBHOOK_REPLAYED: 21,
  EXPORT_REQUESTED: 22,
  EXPORT_COMPLETED: 23,
  NOTIFICATIONS_CHANGED: 24,
  NOTIFICATIONS_PAUSED: 25,
  PLATFORM_EVENTS_STOPPED: 26,
  CUSTOM_RULE_CREATED: 27,
  CUSTOM_RULE_CHANGED: 28,
  CUSTOM_RULE_DELETED: 29,
  ALERT_MUTE_CREATED: 36,
  ALERT_MUTE_ENDED: 37,
  DETECTION_RULE_CHANGED: 30,
  REPORT_REVIEWED: 40,
  PROVIDER_ACCOUNT_ACTIVITY: 44,
  DRILL_STARTED: 48,
};
const SPELLED_OUT = 0;

/** Never change these either. Seven categories of four levels fill the byte. */
const categoryCodes = {
  integration: 0,
  authentication: 1,
  authorization: 2,
  data_access: 3,
  system: 4,
  compliance: 5,
  security: 6,
} as const satisfies Record<Category, number>;
const riskCodes = { LOW: 0, MEDIUM: 1, HIGH: 2, CRITICAL: 3 } as const satisfies Record<RiskLevel, number>;

/** How a number from 0 to `events` is stored: most are zero or all. */
const NONE = 0;
const ALL = 1;
const NUMBER = 2;
const flagOf = (part: number, events: number) => (part === 0 ? NONE : part === events ? ALL : NUMBER);

const invert = <Name extends string>(codes: Readonly<Partial<Record<Name, number>>>): ReadonlyMap<number, Name> =>
  new Map((Object.entries(codes) as [Name, number][]).map(([name, code]) => [code, name]));
const types = invert(typeCodes);
const categories = invert(categoryCodes);
const riskLevels = invert(riskCodes);

const pushNumber = (bytes: number[], value: number) => {
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
};

const pushCounter = (bytes: number[], counter: Counter) => {
  const { eventType, category, riskLevel, events, failures, timed, totalMicroseconds } = counter;
  const code = Object.hasOwn(typeCodes, eventType) ? typeCodes[eventType] : undefined;
  bytes.push(code ?? SPELLED_OUT);
  if (code === undefined) {
    const text = new TextEncoder().encode(eventType);
    pushNumber(bytes, text.length);
    bytes.push(...text);
  }
  const [failed, measured] = [flagOf(failures, events), flagOf(timed, events)];
  bytes.push(((categoryCodes[category] * 4 + riskCodes[riskLevel]) * 3 + failed) * 3 + measured);
  pushNumber(bytes, events);
  if (failed === NUMBER) pushNumber(bytes, failures);
  if (measured === NUMBER) pushNumber(bytes, timed);
  if (measured === NONE) return;
  const isWhole = totalMicroseconds % 1_000 === 0;
  pushNumber(bytes, isWhole ? (totalMicroseconds / 1_000) * 2 : totalMicroseconds * 2 + 1);
};

export const encodeCounters = (counters: Counters): Uint8Array => {
  const bytes = [VERSION];
  for (const counter of counters) pushCounter(bytes, counter);
  return Uint8Array.from(bytes);
};

const createReader = (bytes: Uint8Array) => {
  let position = 0;
  const fail = () => new Error(`Stored counters cannot be read at byte ${position} of ${bytes.length}.`);
  const readByte = (): number => {
    const byte = bytes[position++];
    if (byte === undefined) throw fail();
    return byte;
  };
  return {
    fail,
    readByte,
    isAtEnd: () => position === bytes.length,
    readNumber: (): number => {
      let value = 0;
      for (let factor = 1; ; factor *= 128) {
        const byte = readByte();
        value += (byte % 128) * factor;
        if (byte < 128) return value;
      }
    },
    readText: (length: number): string => {
      if (position + length > bytes.length) throw fail();
      position += length;
      return new TextDecoder().decode(bytes.subarray(position - length, position));
    },
  };
};

/** @throws Error if encodeCounters did not make the bytes. */
export const decodeCounters = (bytes: Uint8Array): Counters => {
  const { fail, readByte, readNumber, readText, isAtEnd } = createReader(bytes);
  if (readByte() !== VERSION) throw fail();
  const readPart = (flag: number, events: number) => (flag === NONE ? 0 : flag === ALL ? events : readNumber());
  const counters: Counter[] = [];
  while (!isAtEnd()) {
    const code = readByte();
    const eventType = code === SPELLED_OUT ? readText(readNumber()) : types.get(code);
    const packed = readByte();
    const [slot, failed, measured] = [Math.floor(packed / 9), Math.floor(packed / 3) % 3, packed % 3];
    const category = categories.get(Math.floor(slot / 4));
    const riskLevel = riskLevels.get(slot % 4);
    if (eventType === undefined || category === undefined || riskLevel === undefined) throw fail();
    const events = readNumber();
    const failures = readPart(failed, events);
    const timed = readPart(measured, events);
    const total = measured === NONE ? 0 : readNumber();
    const totalMicroseconds = total % 2 === 0 ? total * 500 : (total - 1) / 2;
    counters.push({ eventType, category, riskLevel, events, failures, timed, totalMicroseconds });
  }
  return counters;
};
