/** The feed for a SIEM in the local cloud. siem-feed.deep.test.ts moves the clock and erases. */
import { expect, test } from "@jest/globals";
import { startOfHour } from "../../shared/terms/hours.ts";
import { controlOf } from "../support/control.ts";
import { fedOrganization, lateEvent } from "../support/feed.ts";
import { eventually } from "../support/integration.ts";
import { useSharedService } from "../support/use-service.ts";

const HOUR_MS = 3_600_000;

const service = await useSharedService();

const { fire } = controlOf(service);
/** Fires two schedules, one after the other. Their answers wait for the work of other files too. */
const closeAndFeed = async (): Promise<void> => {
  for (const name of [/close-security-hours/, /write-siem-feed/]) await fire(name);
};

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
