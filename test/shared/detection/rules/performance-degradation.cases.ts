import { acme, type Cases, globex, minute, times } from "./case.ts";

const operations = (from: number, count: number, durationMs: number, events = acme) =>
  times(count).map((index) => events.operation(minute(from + index / 10), { durationMs }));
const found = (hour: number) => ({ hour, subject: "provider", level: "MEDIUM", count: 10 });
const slow = operations(10, 10, 500);

export const performanceDegradationCases: Cases = {
  rule: "performance_degradation",
  cases: [
    { title: "just below five times", events: [...operations(0, 40, 100.1), ...slow], finds: [] },
    { title: "five times, and 500 ms", events: [...operations(0, 40, 100), ...slow], finds: [found(0)] },
    { title: "ten times", events: [...operations(0, 40, 100), ...operations(10, 10, 1_000)], finds: [found(0)] },
    {
      title: "five times, and below 500 ms",
      events: [...operations(0, 40, 50), ...operations(10, 10, 499)],
      finds: [],
    },
    { title: "nine slow ones", events: [...operations(0, 40, 100), ...operations(10, 9, 500)], finds: [] },
    { title: "the 19th operation", events: [...operations(0, 9, 1), ...slow], finds: [] },
    { title: "the 20th operation", events: [...operations(0, 10, 1), ...slow], finds: [found(0)] },
    { title: "repeated", events: [...operations(0, 40, 100), ...slow, ...slow], finds: [found(0)] },
    { title: "out of order", events: [...slow.toReversed(), ...operations(0, 40, 100)], finds: [found(0)] },
    {
      title: "slow ones of another organization",
      events: [...operations(0, 40, 100), ...operations(10, 10, 500, globex)],
      finds: [],
    },
    {
      title: "again while the alert is open",
      events: [...operations(0, 40, 10), ...slow, ...operations(61, 10, 900)],
      finds: [found(0), found(1)],
    },
    {
      title: "refused by the open circuit",
      events: [
        ...operations(0, 40, 1),
        ...times(10).map((index) => acme.operation(minute(10 + index / 10), { attempts: 0, durationMs: 900 })),
      ],
      finds: [],
    },
  ],
};
