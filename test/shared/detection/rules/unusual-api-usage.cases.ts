import { DAY, HOUR, MINUTE } from "../../../detection/events.ts";
import { acme, type Cases, globex, START, times } from "./case.ts";

const ada = { user: "ada", address: "192.0.2.1" };
const everyone = (count: number) => times(count).map((index) => ({ user: `user-${index}`, address: "192.0.2.1" }));

/** A number of calls, spread over an hour. */
const calls = (hour: number, count: number, who = [ada], events = acme) =>
  times(count).map((index) =>
    events.call(START + hour * HOUR + Math.floor((index * HOUR) / count), who[index % who.length] ?? ada),
  );

/** A number of calls in each hour of the earlier days. */
const usual = (days: number, each: number, who = [ada]) =>
  times(days * 24).flatMap((index) => (each === 0 ? [] : calls(index - days * 24, each, who)));

const ofAda = (hour: number, count: number) => ({ hour, subject: "user:ada", level: "MEDIUM", count });
const ofAll = (hour: number, count: number) => ({ hour, subject: "organization", level: "MEDIUM", count });
const quiet = usual(7, 1);
const burst = calls(0, 60);

/** By day, on weekdays: a mean of 24 calls an hour, and 100 in the busy ones. */
const byDay = times(28 * 24).flatMap((index) => {
  const hour = index - 28 * 24;
  const time = new Date(START + hour * HOUR);
  const isBusy = time.getUTCDay() % 6 !== 0 && time.getUTCHours() >= 8 && time.getUTCHours() < 16;
  return isBusy ? calls(hour, 100, everyone(20)) : [];
});
// START is a Saturday.
const MONDAY_AT_TEN = (2 * DAY) / HOUR;

export const unusualApiUsageCases: Cases = {
  rule: "unusual_api_usage",
  cases: [
    { title: "29 calls after one an hour", events: [...quiet, ...calls(0, 29)], finds: [] },
    { title: "30 calls after one an hour", events: [...quiet, ...calls(0, 30)], finds: [ofAda(0, 30)] },
    { title: "60 calls after one an hour", events: [...quiet, ...burst], finds: [ofAda(0, 60)] },
    { title: "29 calls after ten an hour", events: [...usual(28, 10), ...calls(0, 29)], finds: [] },
    { title: "30 calls after ten an hour", events: [...usual(28, 10), ...calls(0, 30)], finds: [ofAda(0, 30)] },
    {
      title: "60 calls after fifty an hour: a z-score without variance would fire",
      events: [...usual(28, 50), ...calls(0, 60)],
      finds: [],
    },
    { title: "repeated", events: [...quiet, ...burst, ...burst], finds: [ofAda(0, 60)] },
    { title: "twenty, repeated", events: [...quiet, ...calls(0, 20).flatMap((call) => [call, call])], finds: [] },
    { title: "out of order", events: [...burst.toReversed(), ...quiet], finds: [ofAda(0, 60)] },
    {
      title: "in another organization without history",
      events: [...quiet, ...calls(0, 100, [ada], globex)],
      finds: [],
    },
    {
      title: "in another organization",
      events: [...quiet, ...calls(0, 101, [ada], globex)],
      finds: [{ ...ofAda(0, 101), organization: "globex" }],
    },
    {
      title: "half in this hour and half in the next: the window is the hour",
      events: [...quiet, ...calls(0, 20), ...calls(1, 20)],
      finds: [],
    },
    {
      title: "again while the alert is open",
      events: [...usual(20, 1), ...burst, ...calls(1, 60)],
      finds: [ofAda(0, 60), ofAda(1, 60)],
    },
    {
      title: "of many users, each with a usual number",
      events: [...usual(7, 1), ...calls(0, 60, everyone(30))],
      finds: [ofAll(0, 60)],
    },
    {
      title: "of one user with all of the organization's calls",
      events: [...usual(7, 20, everyone(20)), ...usual(7, 1), ...calls(0, 20, everyone(20)), ...calls(0, 60)],
      finds: [ofAda(0, 60)],
    },
    {
      title: "the usual number of a weekday",
      events: [...byDay, ...calls(MONDAY_AT_TEN, 110, everyone(20))],
      finds: [],
    },
    {
      title: "twice the usual number of a weekday",
      events: [...byDay, ...calls(MONDAY_AT_TEN, 200, everyone(20))],
      finds: [ofAll(MONDAY_AT_TEN, 200)],
    },
    {
      title: "every six hours",
      events: times(29 * 4).flatMap((index) => calls(index * 6 - 28 * 24, 50)),
      finds: [],
    },
    {
      title: "operations of the user's runs",
      events: [
        ...quiet,
        ...times(60).map((index) => acme.operation(START + index * MINUTE, {}, { source: "user", userId: "ada" })),
      ],
      finds: [],
    },
    {
      title: "calls of webhooks and schedules",
      events: [...quiet, ...times(60).map((index) => acme.forgedWebhook(START + index * MINUTE, "192.0.2.9"))],
      finds: [],
    },
  ],
};
