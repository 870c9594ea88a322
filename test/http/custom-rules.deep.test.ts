/** What own rules find, over HTTP: hours of the service's clock pass, and each is judged after its end. */
import { beforeAll, describe, expect, it } from "@jest/globals";
import { controlOf } from "../support/control.ts";
import { eventually, organizationOf } from "../support/integration.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { useService } from "../support/use-service.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const PATIENCE = 240_000;

const service = await useService();
const provider = simulatedProvider(service);

type Alert = { rule: string; subject: string; title: string; level: string; count: number; status: string };
type Rule = { id: string; dryRun?: { wouldHaveRaised: number; samples: { subject: string; count: number }[] } };

const ours = organizationOf(service, "own-rules");

const refusals = {
  name: "Refused twice",
  level: "HIGH",
  mode: "live",
  filter: { eventTypes: ["PERMISSION_DENIED"], success: false },
  measure: "count",
  groupBy: "userId",
  windowMinutes: 60,
  condition: { gte: 2 },
};

const create = async (body: object): Promise<Rule> => {
  const answer = await ours.call("POST", "detection/custom-rules", body);
  expect(answer.status).toBe(201);
  return answer.body as Rule;
};

const alertsOf = async (id: string): Promise<Alert[]> =>
  ((await ours.call("GET", "security/alert")).body as Alert[]).filter(({ rule }) => rule === `custom_${id}`);

/** Into the tenth minute of a later hour, and has the hours before judged. */
const judgeHours = async (hours: number): Promise<void> => {
  await service.advance(hours * HOUR);
  await controlOf(service).fire(/detection/i);
};

beforeAll(async () => {
  await service.advance(HOUR - (Date.now() % HOUR) + 10 * MINUTE);
}, PATIENCE);

describe("own rules", () => {
  it(
    "raise alerts within the hour, count what a dry run would have raised, and notice silence",
    async () => {
      const { apiKey } = await provider.account(1);
      expect((await ours.connect(apiKey)).status).toBe(200);
      await ours.lastRun();
      const live = await create(refusals);
      const { groupBy: _, ...together } = { ...refusals, mode: "dryRun", windowMinutes: 120, condition: { gte: 3 } };
      const dry = await create({ ...together, name: "Three in two hours" });
      const silent = await create({
        ...together,
        mode: "live",
        name: "No export for an hour",
        filter: { eventTypes: ["EXPORT_REQUESTED"] },
        windowMinutes: 60,
        condition: { lt: 1 },
      });
      const refuse = (userId: string) => ours.call("GET", "security", undefined, { role: "guest", userId });
      for (const userId of ["eve", "eve", "mia"]) expect((await refuse(userId)).status).toBe(403);
      await judgeHours(1);
      const [alert] = await eventually("the rule has raised its alert", async () => {
        const found = await alertsOf(live.id);
        return found.length > 0 && found;
      });
      expect(alert).toMatchObject({ subject: "userId:eve", title: "Refused twice", level: "HIGH", count: 1 });
      const dryRunOf = async () => ((await ours.call("GET", `detection/custom-rules/${dry.id}`)).body as Rule).dryRun;
      await eventually("the dry run has counted", async () => ((await dryRunOf())?.wouldHaveRaised ?? 0) > 0);
      expect(await dryRunOf()).toMatchObject({ wouldHaveRaised: 1, samples: [{ subject: "organization", count: 3 }] });
      expect(await alertsOf(dry.id)).toEqual([]);
      // The window that the rule was made in is not judged.
      expect(await alertsOf(silent.id)).toEqual([]);

      await judgeHours(1);
      await eventually("silence has raised its alert", async () => (await alertsOf(silent.id)).length > 0);
      expect(await alertsOf(silent.id)).toMatchObject([{ subject: "organization", title: "No export for an hour" }]);
      expect(await alertsOf(live.id)).toMatchObject([{ count: 1 }]);
      // A deleted rule judges nothing more, and its alert stays.
      expect((await ours.call("DELETE", `detection/custom-rules/${live.id}`)).status).toBe(204);
      expect(await alertsOf(live.id)).toMatchObject([{ status: "open" }]);
    },
    PATIENCE,
  );

  it(
    "notice silence in a window that the organization was connected throughout, whatever happens before it is judged",
    async () => {
      const control = controlOf(service);
      const hourNow = async () => Math.floor((await control.now()) / HOUR);
      /** Into the second minute of the next hour: what has ended is judged from the sixth minute on. */
      const nextHour = async () => service.advance(HOUR - ((await control.now()) % HOUR) + MINUTE);
      const silence = {
        name: "No export for an hour",
        level: "LOW",
        mode: "live",
        filter: { eventTypes: ["EXPORT_REQUESTED"] },
        measure: "count",
        windowMinutes: 60,
        condition: { lt: 1 },
      };
      const watched = async (name: string) => {
        const organization = organizationOf(service, name);
        const { apiKey } = await provider.account(1);
        const connect = async () => expect((await organization.connect(apiKey)).status).toBe(200);
        await connect();
        await organization.lastRun();
        const disconnect = async () => expect((await organization.call("DELETE", "connection")).status).toBe(204);
        const { body } = await organization.call("POST", "detection/custom-rules", silence);
        const { id } = body as Rule;
        const alerts = async () => {
          const all = (await organization.call("GET", "security/alert")).body as (Alert & { firstSeen: number })[];
          return all
            .filter(({ rule }) => rule === `custom_${id}`)
            .map(({ firstSeen, count }) => ({ hour: Math.floor(firstSeen / HOUR), count }));
        };
        return { connect, disconnect, alerts };
      };
      await nextHour();
      const [left, rolled, broken] = [
        await watched("left-after-its-window"),
        await watched("rolled-its-key"),
        await watched("broke-its-window"),
      ];
      await nextHour();
      const hour = await hourNow();
      await rolled.connect();
      await broken.disconnect();
      await broken.connect();
      await nextHour();
      expect(await hourNow()).toBe(hour + 1);
      await left.disconnect();
      await service.advance(8 * MINUTE);
      const silent = [{ hour, count: 1 }];
      await eventually("the window of the one that has left is judged", async () => (await left.alerts()).length > 0);
      expect(await left.alerts()).toEqual(silent);
      await eventually("that of the one with a new key, too", async () => (await rolled.alerts()).length > 0);
      expect(await rolled.alerts()).toEqual(silent);
      await nextHour();
      await service.advance(8 * MINUTE);
      await eventually("the next window is judged", async () => (await broken.alerts()).length > 0);
      expect(await broken.alerts()).toEqual([{ hour: hour + 1, count: 1 }]);
      expect(await left.alerts()).toEqual(silent);
    },
    PATIENCE,
  );
});
