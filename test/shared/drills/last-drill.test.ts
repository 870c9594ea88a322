import { expect, it } from "@jest/globals";
import { DRILL_LIMIT_MS } from "../../../shared/drills/drill.ts";
import { createReadLastDrill } from "../../../shared/drills/last-drill.ts";
import { NOW } from "../../support/security-events.ts";
import { useDatabase } from "../../support/use-table.ts";
import { DRILL_TABLES, drillWorld } from "./world.ts";

const world = drillWorld(useDatabase(...DRILL_TABLES));

const read = () =>
  createReadLastDrill({
    drills: world.drills,
    settle: world.worker().settle,
    findAlert: (organizationId, id) => world.alerts.get(organizationId, id, world.time.now),
  });

it("reports name the last drill that began before their end, and how it ended", async () => {
  world.time.now = NOW;
  expect(await read()("acme", NOW + 1, NOW)).toBeUndefined();
  const first = await world.start("acme");
  await world.worker().run({ organizationId: "acme", id: first });
  world.time.now = NOW + DRILL_LIMIT_MS;
  const second = await world.start("acme");
  expect(await read()("acme", NOW + 1, world.time.now)).toEqual({
    id: first,
    status: "succeeded",
    startedAt: NOW,
    alertedAt: NOW,
    endedAt: NOW,
    destinations: 0,
    accepted: 0,
  });
  expect(await read()("acme", NOW, world.time.now)).toBeUndefined();
  world.time.now += DRILL_LIMIT_MS;
  expect(await read()("acme", world.time.now, world.time.now)).toMatchObject({ id: second, status: "failed" });
  expect(await read()("other", world.time.now, world.time.now)).toBeUndefined();
});
