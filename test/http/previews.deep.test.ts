/** What previews find, over HTTP: an attack is judged, and previews say what a change would have made of it. */
import { beforeAll, expect, it } from "@jest/globals";
import type { Preview } from "../../shared/previews/preview.ts";
import { controlOf } from "../support/control.ts";
import { eventually, organizationOf } from "../support/integration.ts";
import { requestFrom } from "../support/request-from.ts";
import { useReceivers, useService } from "../support/use-service.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const PATIENCE = 900_000;
const PATH = "detection/previews";

const service = await useService();
const startReceiver = useReceivers();
const ours = organizationOf(service, "previewed");

/** Five refused tokens of a user from an address, which are a finding. */
const attack = async (userId: string, address: string): Promise<void> => {
  const token = await ours.as({ userId, expiresInSeconds: -120 });
  for (let i = 0; i < 5; i++) expect((await requestFrom(service, address, ["GET", "/plants"], token)).status).toBe(401);
};

const alerts = async () => (await ours.call("GET", "security/alert")).body as { rule: string; subject: string }[];

const preview = async (body: object): Promise<Preview> => {
  const accepted = await ours.call("POST", PATH, body);
  expect(accepted.status).toBe(202);
  const { id } = accepted.body as Preview;
  return eventually("the preview has succeeded", async () => {
    const shown = (await ours.call("GET", `${PATH}/${id}`)).body as Preview;
    return shown.status === "succeeded" && shown;
  });
};

beforeAll(async () => {
  // Ten minutes after 01:00 of the next day, so that what is judged an hour later is sent at night.
  await service.advance(DAY - (Date.now() % DAY) + HOUR + HOUR / 6, "last");
}, PATIENCE);

it(
  "a known address, another level, an own rule and a mute show what they would have made of an attack",
  async () => {
    const receiver = await startReceiver();
    const destination = { type: "webhook", name: "SOC", url: receiver.url, filter: { levels: ["HIGH", "CRITICAL"] } };
    expect((await ours.call("POST", "notifications", destination)).status).toBe(201);
    await attack("eve", "127.0.4.1");
    await attack("mia", "127.0.5.1");
    await ours.call("GET", "security", undefined, { role: "guest", userId: "guest" });
    await service.advance(HOUR);
    await controlOf(service).fire(/detection/i);
    await eventually("both users are found", async () => {
      const found = await alerts();
      return ["user:eve", "user:mia"].every((one) => found.some(({ subject }) => subject === one));
    });
    const before = await alerts();

    const rule = { rule: "repeated_auth_failures", enabled: true };
    const known = await preview({ days: 3, rule: { ...rule, known: { networks: ["127.0.4.0/24"] } } });
    const day = new Date(known.to - HOUR).toISOString().slice(0, 10);
    const one = { alerts: 1, byLevel: { HIGH: 1 }, byDay: { [day]: 1 }, notifications: 1, atNight: 1 };
    const two = { alerts: 2, byLevel: { HIGH: 2 }, byDay: { [day]: 2 }, notifications: 2, atNight: 2 };
    expect(known.reads).toBeGreaterThanOrEqual(11);
    expect(known.result).toMatchObject({
      now: two,
      // biome-ignore lint/suspicious/noThenProperty: a field of the API.
      then: one,
      added: [],
      removed: [{ rule: rule.rule, subject: "user:eve", level: "HIGH", hour: known.to - HOUR, count: 5 }],
    });
    const outcomes = ({ result }: Preview) => [result?.now, result?.then];
    const present = await preview({ days: 1, rule });
    expect(outcomes(present)).toEqual([two, two]);
    expect(present.result).toMatchObject({ added: [], removed: [] });
    const lower = await preview({ days: 1, rule: { ...rule, level: "LOW" } });
    expect(lower.result?.then).toEqual({ ...two, byLevel: { LOW: 2 }, notifications: 0, atNight: 0 });
    const higher = await preview({ days: 1, rule: { ...rule, thresholds: { failures: 6 } } });
    expect(higher.result?.removed.map(({ subject }) => subject)).toEqual(["user:eve", "user:mia"]);

    const failures = {
      name: "Refused tokens",
      level: "CRITICAL",
      mode: "live",
      filter: { eventTypes: ["AUTHENTICATION_FAILURE"] },
      measure: "count",
      windowMinutes: 60,
      condition: { gte: 10 },
    };
    const own = await preview({ days: 1, customRule: failures });
    expect(own.result).toMatchObject({
      now: { alerts: 0 },
      // biome-ignore lint/suspicious/noThenProperty: a field of the API.
      then: { alerts: 1, byLevel: { CRITICAL: 1 }, notifications: 1 },
      added: [{ subject: "organization", title: "Refused tokens", count: 10 }],
    });
    const dry = await preview({ days: 1, customRule: { ...failures, mode: "dryRun" } });
    expect(dry.result?.then).toMatchObject({ alerts: 1, notifications: 0 });

    const mute = { rules: [rule.rule], subject: "user:mia", until: Date.now() + 30 * DAY, reason: "A load test." };
    const muted = await preview({ days: 1, mute });
    expect(muted.result?.then.alerts).toBe(muted.result?.now.alerts);
    expect((muted.result?.now.notifications ?? 0) - (muted.result?.then.notifications ?? 0)).toBe(1);
    expect(muted.result?.withheld).toMatchObject([{ subject: "user:mia" }]);

    // Nothing was raised, and the rule is as it was.
    expect(await alerts()).toEqual(before);
    const [first] = (await ours.call("GET", "detection/rules")).body as { enabled: boolean; revision: number }[];
    expect(first).toMatchObject({ enabled: true, revision: 0 });
  },
  PATIENCE,
);
