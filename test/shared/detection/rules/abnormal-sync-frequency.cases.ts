import { DAY, type Events, HOUR } from "../../../detection/events.ts";
import { acme, type Cases, globex, minute, START, times } from "./case.ts";

const run = (at: number, trigger: string, events: Events = acme) => [
  events.runStarted(at, `${trigger}-${at}`, trigger, { user: "ada" }),
  events.runSucceeded(at + 5_000, `${trigger}-${at}`, trigger),
];
const runs = (count: number, trigger = "manual", from = 1, apart = 1, events: Events = acme) =>
  times(count).flatMap((index) => run(minute(from + index * apart), trigger, events));
/** An organization that is some days old, with a manual run each noon. */
const past = times(20).flatMap((index) => run(START - (20 - index) * DAY + 2 * HOUR, "manual"));
const found = (hour: number, count: number, trigger = "manual") => ({
  hour,
  subject: `trigger:${trigger}`,
  level: "MEDIUM",
  count,
});
const ten = runs(10);

export const abnormalSyncFrequencyCases: Cases = {
  rule: "abnormal_sync_frequency",
  cases: [
    { title: "nine runs", events: [...past, ...runs(9)], finds: [] },
    { title: "ten runs", events: [...past, ...ten], finds: [found(0, 10)] },
    { title: "25 runs", events: [...past, ...runs(25)], finds: [found(0, 25)] },
    {
      title: "the first of ten exactly 60 minutes old",
      events: [...past, ...runs(1, "manual", 0), ...runs(9, "manual", 52)],
      finds: [],
    },
    {
      title: "the first of ten a little younger",
      events: [...past, ...runs(1, "manual", 0.1), ...runs(9, "manual", 52)],
      finds: [found(1, 10)],
    },
    { title: "repeated", events: [...past, ...ten, ...ten], finds: [found(0, 10)] },
    { title: "out of order", events: [...ten.toReversed(), ...past], finds: [found(0, 10)] },
    {
      title: "six here and six in another organization",
      events: [...past, ...runs(6), ...runs(6, "manual", 1, 1, globex)],
      finds: [],
    },
    { title: "twelve runs of an organization without history", events: runs(12), finds: [] },
    { title: "thirteen runs of an organization without history", events: runs(13), finds: [found(0, 13)] },
    { title: "across the hour", events: [...past, ...runs(12, "manual", 54.5)], finds: [found(1, 12)] },
    {
      title: "again while the alert is open",
      events: [...past, ...ten, ...runs(10, "manual", 121)],
      finds: [found(0, 10), found(2, 10)],
    },
    {
      title: "runs for gaps in webhooks",
      events: [...past, ...runs(10, "webhook_gap")],
      finds: [found(0, 10, "webhook_gap")],
    },
    { title: "six of each trigger", events: [...past, ...runs(6), ...runs(6, "webhook_gap", 10)], finds: [] },
    {
      title: "scheduled runs and new connections",
      events: [...past, ...runs(30, "scheduled"), ...runs(20, "connection", 31)],
      finds: [],
    },
  ],
};
