import type { FindingRule } from "../../../../shared/security/alerts/finding.ts";
import type { SecurityEvent } from "../../../../shared/security/security-event.ts";
import { createEvents, MINUTE } from "../../../detection/events.ts";

/** A finding that a case must raise: in which hour from START on, and what it says. */
export type Expected = { organization?: string; hour: number; subject: string; level: string; count: number };

/** Recorded events and the findings that a rule raises of them; nothing else. */
export type Case = {
  title: string;
  events: readonly SecurityEvent[];
  finds: readonly Expected[];
  /** Up to so many hours from START on it is replayed; without it up to the last event. */
  hours?: number;
};

export type Cases = { rule: FindingRule; cases: readonly Case[] };

/** An hour begins; the events of a case are told in minutes from here on. */
export const START = Date.UTC(2026, 10, 21, 10);

export const minute = (minutes: number): number => START + minutes * MINUTE;

/** Several times the same, at so many minutes from START on. */
export const atMinutes = <Value>(minutes: readonly number[], make: (at: number, index: number) => Value): Value[] =>
  minutes.map((one, index) => make(minute(one), index));

/** Whole numbers from 0 on. */
export const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

export const acme = createEvents("acme");
export const globex = createEvents("globex");
