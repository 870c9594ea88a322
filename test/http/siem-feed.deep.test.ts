/** The feed for a SIEM through hours and erasures. siem-feed.test.ts is the fast part. */
import { expect, test } from "@jest/globals";
import { controlOf } from "../support/control.ts";
import { fedOrganization, lateEvent } from "../support/feed.ts";
import { eventually } from "../support/integration.ts";
import { useService } from "../support/use-service.ts";

const HOUR_MS = 3_600_000;

const service = await useService();

let now = 0;
const { now: time } = controlOf(service);

/** Requests by two users, of which the API records events. */
const act = async ({ call }: ReturnType<typeof fedOrganization>): Promise<void> => {
  expect((await call("GET", "security", undefined, { userId: "eve-the-leaver", role: "guest" })).status).toBe(403);
  expect(
    (await call("POST", "security/alert", { action: "generate_alert", title: "x", riskLevel: "HIGH" })).status,
  ).toBe(200);
  expect((await call("GET", "security")).status).toBe(200);
};

/** Until all hours before this one are closed and fed. */
const passHour = async (): Promise<void> => {
  now = await time();
  await service.advance(HOUR_MS - (now % HOUR_MS) + 50 * 60_000);
};

const erase = async (organization: ReturnType<typeof fedOrganization>, body: object): Promise<void> => {
  const { id } = (await organization.call("POST", "erasure", body)).body as { id: string };
  await eventually("the erasure is completed", async () => {
    const listed = (await organization.call("GET", "erasure")).body as { id: string; status: string }[];
    return listed.some((one) => one.id === id && one.status === "completed");
  });
};

test("an hour is fed after its end, replaced after a late event and an erasure, and only while switched on", async () => {
  const ours = fedOrganization(service, "acme/ü");
  const off = fedOrganization(service, "off");
  const leaving = fedOrganization(service, "leaving");
  for (const one of [ours, leaving]) expect((await one.switchFeed(true)).status).toBe(200);
  // No event is near the end of an hour.
  now = await time();
  await service.advance(HOUR_MS - (now % HOUR_MS) + 60_000);
  const first = await time();
  for (const one of [ours, off, leaving]) await act(one);
  const whileOpen = await ours.fed();
  await passHour();
  const [hour = "", ...none] = Object.keys(await ours.expected(first));
  expect([Object.keys(whileOpen), none]).toEqual([expect.not.arrayContaining([hour]), []]);
  const before = await ours.fed();
  expect(before).toMatchObject(await ours.expected(first));
  expect(before[hour]?.length).toBeGreaterThanOrEqual(2);
  expect(await off.fed()).toEqual({});

  await ours.recordLate(lateEvent(first, "PERMISSION_DENIED"));
  await passHour();
  const late = await ours.fed();
  expect(late).toMatchObject(await ours.expected(first));
  expect(late[hour]).toHaveLength((before[hour]?.length ?? 0) + 1);

  expect(JSON.stringify(late)).toContain("eve-the-leaver");
  await erase(ours, { scope: "user", userId: "eve-the-leaver" });
  expect(JSON.stringify(await ours.fed())).not.toContain("eve-the-leaver");
  await passHour();
  const erased = await ours.fed();
  expect(erased).toMatchObject(await ours.expected(first));
  expect(erased[hour]).toHaveLength(late[hour]?.length ?? 0);
  expect(JSON.stringify(erased)).not.toContain("eve-the-leaver");

  expect((await ours.switchFeed(false)).body).toMatchObject({ siemFeed: false });
  await passHour();
  const kept = await ours.fed();
  await act(ours);
  await ours.recordLate(lateEvent(first + 1, "PERMISSION_DENIED"));
  await passHour();
  expect(await ours.fed()).toEqual(kept);

  expect(Object.keys(await leaving.fed())).toContain(hour);
  await erase(leaving, { scope: "all" });
  await passHour();
  expect(Object.keys(await leaving.fed())).not.toContain(hour);
});
