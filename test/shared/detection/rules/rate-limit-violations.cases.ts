import type { SecurityEvent } from "../../../../shared/security/security-event.ts";
import { MINUTE } from "../../../detection/events.ts";
import { acme, atMinutes, type Cases, globex, minute, times } from "./case.ts";

const refused = (minutes: readonly number[], events = acme) => atMinutes(minutes, (at) => events.rateLimited(at));
const ofProvider = (hour: number, count: number) => ({ hour, subject: "limit:provider", level: "HIGH", count });
const ofPace = (hour: number, count: number) => ({ hour, subject: "limit:pace", level: "MEDIUM", count });
const three = refused([1, 5, 9]);
/** A number of requests that no rate limit refuses. */
const fine = (count: number): SecurityEvent[] => times(count).map((index) => acme.operation(minute(0) + index * 1_000));
const waited = (minutes: readonly number[], pacedMs: number) =>
  atMinutes(minutes, (at) => acme.operation(at, { pacedMs }));

export const rateLimitViolationsCases: Cases = {
  rule: "rate_limit_violations",
  cases: [
    { title: "two refusals", events: refused([1, 2]), finds: [] },
    { title: "three refusals", events: three, finds: [ofProvider(0, 3)] },
    { title: "seven refusals", events: refused(times(7)), finds: [ofProvider(0, 7)] },
    { title: "the first of three exactly 15 minutes old", events: refused([0, 7, 15]), finds: [] },
    {
      title: "the first of three a millisecond younger",
      events: [...refused([7, 15]), acme.rateLimited(minute(0) + 1)],
      finds: [ofProvider(0, 3)],
    },
    { title: "repeated", events: [...three, ...three], finds: [ofProvider(0, 3)] },
    { title: "two, repeated", events: [...three.slice(1), ...three.slice(1)], finds: [] },
    { title: "out of order", events: three.toReversed(), finds: [ofProvider(0, 3)] },
    {
      title: "two here and two in another organization",
      events: [...refused([1, 2]), ...refused([1, 2], globex)],
      finds: [],
    },
    { title: "across the hour", events: refused([50, 55, 61]), finds: [ofProvider(1, 3)] },
    {
      title: "again while the alert is open",
      events: [...three, ...refused([80, 81, 82])],
      finds: [ofProvider(0, 3), ofProvider(1, 3)],
    },
    {
      title: "three refusals whose retries succeeded",
      events: atMinutes([1, 2, 3], (at) => acme.operation(at, { attempts: 2, rateLimited: 1 })),
      finds: [ofProvider(0, 3)],
    },
    { title: "one operation with three refusals", events: [acme.rateLimited(minute(1), 3)], finds: [ofProvider(0, 3)] },
    {
      title: "refusals without a number, as when tokens are refreshed",
      events: atMinutes([1, 2, 3], (at) =>
        acme.event(at, { eventType: "RATE_LIMIT_EXCEEDED", success: false, metadata: { durationMs: 5, attempts: 1 } }),
      ),
      finds: [ofProvider(0, 3)],
    },
    { title: "2 refusals far apart in 39 requests", events: [...fine(37), ...refused([10, 40])], finds: [] },
    { title: "2 refusals far apart in 40 requests: 5 %", events: [...fine(38), ...refused([10, 40])], finds: [] },
    { title: "3 refusals far apart in 60 requests: 5 %", events: [...fine(57), ...refused([10, 30, 50])], finds: [] },
    {
      title: "3 refusals far apart in 59 requests",
      events: [...fine(56), ...refused([10, 30, 50])],
      finds: [ofProvider(0, 3)],
      evidence: { requests: 59, share: 0.051, shareThreshold: 0.05 },
    },
    { title: "1 refusal in 40 requests", events: [...fine(39), ...refused([10])], finds: [] },
    {
      title: "3 refusals in 59 requests, of which the hour before had 20",
      events: [
        ...fine(20).map((event) => ({ ...event, timestamp: event.timestamp - 60 * MINUTE })),
        ...fine(36),
        ...refused([10, 30, 50]),
      ],
      finds: [],
    },
    {
      title: "operations that wait for our own rate limiter, as in every full sync",
      events: waited(times(50), 4_999),
      finds: [],
    },
    { title: "two operations that wait long", events: waited([1, 2], 5_000), finds: [] },
    { title: "three operations that wait long", events: waited([1, 2, 3], 5_000), finds: [ofPace(0, 3)] },
    {
      title: "both limits: one finding each",
      events: [...three, ...waited([1, 2, 3], 8_000)],
      finds: [ofPace(0, 3), ofProvider(0, 3)],
    },
    { title: "two of each", events: [...refused([1, 2]), ...waited([1, 2], 8_000)], finds: [] },
  ],
};
