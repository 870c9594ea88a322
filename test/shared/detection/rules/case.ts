import type { MoneyEvent } from "../../../../shared/money/money.ts";
import type { FindingRule } from "../../../../shared/security/alerts/finding.ts";
import type { SecurityEvent } from "../../../../shared/security/security-event.ts";
import { createEvents, MINUTE } from "../../../detection/events.ts";

/** A finding that a case must raise. `hour`: counted from START. */
export type Expected = { organization?: string; hour: number; subject: string; level: string; count: number };

/** Recorded events, and all findings that a rule raises from them. */
export type Case = {
  title: string;
  events: readonly SecurityEvent[];
  /** The counted events about money, all of acme. */
  money?: readonly MoneyEvent[];
  finds: readonly Expected[];
  /** A part of the first finding's evidence. */
  evidence?: object;
  /** How many hours from START are replayed; without it, up to the last event. */
  hours?: number;
};

export type Cases = { rule: FindingRule; cases: readonly Case[] };

/** The start of an hour. Cases give the times of events in minutes from here. */
export const START = Date.UTC(2026, 10, 21, 10);

export const minute = (minutes: number): number => START + minutes * MINUTE;

/** The same at several times, in minutes from START. */
export const atMinutes = <Value>(minutes: readonly number[], make: (at: number, index: number) => Value): Value[] =>
  minutes.map((one, index) => make(minute(one), index));

/** Whole numbers from 0 on. */
export const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

export const acme = createEvents("acme");
export const globex = createEvents("globex");
