import { describe, expect, it } from "@jest/globals";
import { judgeDrill } from "../../../shared/drills/brute-force.ts";
import { DRILL_LIMIT_MS } from "../../../shared/drills/drill.ts";
import { NOW } from "../../support/security-events.ts";
import { useDatabase } from "../../support/use-table.ts";
import { DRILL_TABLES, drillWorld } from "./world.ts";

const world = drillWorld(useDatabase(...DRILL_TABLES));

const SINCE = NOW - 1;
const options = { limit: 100, after: undefined, now: NOW };

let organizations = 0;
const fresh = () => `organization-${++organizations}`;

const madeBy = async (organizationId: string) => {
  const { events } = await world.events.list({ organizationId, since: SINCE }, options);
  const { items } = await world.alerts.list(organizationId, options);
  return { events, alerts: items };
};

describe("a drill", () => {
  it("makes the same events and one alert wherever its worker crashes", async () => {
    const calls: string[] = [];
    const first = fresh();
    world.time.now = NOW;
    await world
      .worker({ interrupt: (call) => calls.push(call) })
      .run({ organizationId: first, id: await world.start(first) });
    const whole = await madeBy(first);
    expect([whole.events.length, whole.alerts.length]).toEqual([5, 1]);
    expect(calls.length).toBeGreaterThan(15);
    for (const [index, call] of calls.entries()) {
      const organizationId = fresh();
      const id = await world.start(organizationId);
      let seen = 0;
      const interrupt = (): void => {
        if (seen++ === index) throw new Error(`crash ${call}`);
      };
      await world
        .worker({ interrupt })
        .run({ organizationId, id })
        .catch(() => undefined);
      world.published.length = 0;
      await world.worker().run({ organizationId, id });
      const { events, alerts } = await madeBy(organizationId);
      const stored = await world.drills.find(organizationId, id, NOW);
      expect([call, events.length, alerts.length, stored?.status]).toEqual([call, 5, 1, "succeeded"]);
      expect(stored).toMatchObject({ recordedAt: NOW, judgedAt: NOW, alertedAt: NOW, alertId: alerts[0]?.id });
    }
  });

  it("publishes its alert again if the worker crashed before it did", async () => {
    const organizationId = fresh();
    const id = await world.start(organizationId);
    const interrupt = (call: string): void => {
      if (call === "before publish") throw new Error("crash");
    };
    await expect(world.worker({ interrupt }).run({ organizationId, id })).rejects.toThrow("crash");
    world.published.length = 0;
    await world.worker().run({ organizationId, id });
    expect(world.published.map(({ detailType, detail }) => [detailType, detail])).toEqual([
      [
        "SecurityAlertChanged",
        expect.objectContaining({ change: "raised", alert: expect.objectContaining({ drill: true }) }),
      ],
    ]);
  });

  it("does no further step after its limit, and has failed then", async () => {
    const organizationId = fresh();
    world.time.now = NOW;
    const id = await world.start(organizationId);
    world.time.now = NOW + DRILL_LIMIT_MS;
    await world.worker().run({ organizationId, id });
    world.time.now = NOW;
    expect(await madeBy(organizationId)).toEqual({ events: [], alerts: [] });
    expect(await world.drills.find(organizationId, id, NOW)).toMatchObject({
      status: "failed",
      endedAt: NOW + DRILL_LIMIT_MS,
      deliveries: [],
    });
  });

  it("is one of concurrently started ones", async () => {
    const organizationId = fresh();
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => world.start(organizationId)));
    const refused = results.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []));
    expect(refused).toEqual(Array.from({ length: 7 }, () => "drill_running"));
  });

  it("alerts on its own, whatever real alerts and earlier drills there are", async () => {
    const organizationId = fresh();
    for (let drill = 0; drill < 2; drill++)
      await world.worker().run({ organizationId, id: await world.start(organizationId) });
    const { alerts } = await madeBy(organizationId);
    expect(alerts.map(({ count, drill, subject }) => [count, drill, subject])).toEqual([
      [1, true, "address:192.0.2.1"],
      [1, true, "address:192.0.2.1"],
    ]);
  });

  it("is found by the rule only if all its events are stored", async () => {
    const organizationId = fresh();
    const id = await world.start(organizationId);
    await world.worker().run({ organizationId, id });
    const { events } = await madeBy(organizationId);
    expect(judgeDrill(events, { id, startedAt: NOW })).toMatchObject({ rule: "repeated_auth_failures", level: "HIGH" });
    expect(judgeDrill(events.slice(1), { id, startedAt: NOW })).toBeUndefined();
  });
});
