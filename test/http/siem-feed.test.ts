/** The feed for a SIEM in the local cloud. siem-feed.deep.test.ts moves the clock and erases. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startOfHour } from "../../shared/terms/hours.ts";
import { fedOrganization, lateEvent } from "../support/feed.ts";
import { eventually } from "../support/integration.ts";
import { shareService } from "../support/service.ts";

const HOUR_MS = 3_600_000;

let service: Awaited<ReturnType<typeof shareService>>;
beforeAll(async () => {
  service = await shareService();
});
afterAll(async () => {
  expect(await service.denials()).toEqual([]);
});

/** Fires the schedules of these functions, one after the other. Their answers wait for the work of other files too. */
const fire = async (...functions: readonly string[]): Promise<void> => {
  const { controlUrl } = service.stack;
  const { schedules } = (await (await fetch(controlUrl)).json()) as { schedules: { name: string }[] };
  for (const wanted of functions) {
    const [found, ...others] = schedules.filter(({ name }) => name.includes(wanted));
    if (found === undefined || others.length > 0) throw new Error(`${wanted} has ${others.length + 1} schedules`);
    expect((await fetch(`${controlUrl}/schedules/${found.name}`, { method: "POST" })).status).toBe(200);
  }
};
const closeAndFeed = () => fire("close-security-hours", "write-siem-feed");

test("a closed hour of an organization that switched the feed on is one object, which a late event replaces", async () => {
  const ours = fedOrganization(service, "feed-on");
  const off = fedOrganization(service, "feed-off");
  expect(await ours.switchFeed(true)).toMatchObject({ status: 200, body: { siemFeed: true } });
  const hour = startOfHour(Date.now()) - 2 * HOUR_MS;
  await ours.recordLate(lateEvent(hour + HOUR_MS - 1, "PERMISSION_DENIED"));
  await ours.recordLate(lateEvent(hour, "AUTHENTICATION_FAILURE"));
  await ours.recordLate(lateEvent(hour - 1, "MANUAL_ALERT_GENERATED"));
  await off.recordLate(lateEvent(hour, "PERMISSION_DENIED"));
  await closeAndFeed();
  const before = await ours.expected(hour, hour - 1);
  expect(Object.values(before).map(({ length }) => length)).toEqual([2, 1]);
  await eventually("the hours are fed", async () => Object.keys(await ours.fed()).length === 2);
  expect(await ours.fed()).toEqual(before);

  await ours.recordLate(lateEvent(hour + 1, "SETTINGS_CHANGED"));
  await closeAndFeed();
  const after = await ours.expected(hour, hour - 1);
  expect(Object.values(after).map(({ length }) => length)).toEqual([3, 1]);
  await eventually("the hour is fed again", async () => Object.values(await ours.fed()).flat().length === 4);
  expect(await ours.fed()).toEqual(after);
  expect(await off.fed()).toEqual({});
});
