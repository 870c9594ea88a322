import { expect, it } from "@jest/globals";
import { createDueSealStore, type DueSeal, dueSealShards } from "../../../shared/sealing/due-seal-store.ts";
import { sealErasedHours } from "../../../shared/sealing/erase.ts";
import { eventId } from "../../../shared/security/event-id.ts";
import { closeHours } from "../../../shared/security/statistics/close-hours.ts";
import { createOpenHourStore } from "../../../shared/security/statistics/open-hour-store.ts";
import { createRollupStore } from "../../../shared/security/statistics/rollup-store.ts";
import { hourName } from "../../../shared/terms/hours.ts";
import { organizationKey, unownedKey } from "../../../shared/terms/keys.ts";
import { HOUR, NOW } from "../../support/security-events.ts";
import { useDatabase } from "../../support/use-table.ts";

const database = useDatabase("securityRollups");
const time = { now: NOW };
const rollups = database.table("securityRollups");
const dueSeals = createDueSealStore(rollups, () => time.now);
const START = NOW - (NOW % HOUR);

let organizations = 0;
const newScope = () => organizationKey(`org-${++organizations}`);
const marksOf = async (scope: string): Promise<DueSeal[]> => {
  const found: DueSeal[] = [];
  for (const shard of dueSealShards)
    for await (const mark of dueSeals.listAll(shard)) if (mark.scope === scope) found.push(mark);
  return found;
};

it("keeps one mark an hour, in order, until it is cleared as it was read", async () => {
  const scope = newScope();
  for (const hours of [2, 0, 1, 0]) await dueSeals.markDue(scope, START + hours * HOUR);
  const [first, ...others] = await marksOf(scope);
  expect(first).toEqual({ scope, hour: START, token: expect.any(String), markedAt: NOW });
  expect(others.map(({ hour }) => hour)).toEqual([START + HOUR, START + 2 * HOUR]);
  await dueSeals.markDue(scope, START);
  expect(await dueSeals.clear(first as DueSeal)).toBe(false);
  const [again] = await marksOf(scope);
  expect(await dueSeals.clear(again as DueSeal)).toBe(true);
  expect(await marksOf(scope)).toEqual(others);
});

it("lists the marked hours of an organization in a span", async () => {
  const scope = newScope();
  for (const hours of [0, 1, 5]) await dueSeals.markDue(scope, START + hours * HOUR);
  expect(await dueSeals.listDue(scope, { from: START, to: START + HOUR })).toEqual([START]);
  expect(await dueSeals.listDue(scope, { from: START + HOUR, to: START + 9 * HOUR })).toEqual([
    START + HOUR,
    START + 5 * HOUR,
  ]);
  expect(await dueSeals.listDue(scope, { from: START, to: START })).toEqual([]);
  expect(await dueSeals.listDue(newScope(), { from: START, to: START + 9 * HOUR })).toEqual([]);
});

it("marks no hour of events without an organization", async () => {
  const scope = unownedKey("192.0.2.1");
  await dueSeals.markDue(scope, START);
  expect(await marksOf(scope)).toEqual([]);
});

it("has an hour marked before its closing is done, and again when closing failed after it", async () => {
  const scope = newScope();
  const openHours = createOpenHourStore(rollups, () => time.now);
  const close = (clear: typeof openHours.clear) =>
    closeHours(
      {
        openHours: { ...openHours, clear },
        rollups: createRollupStore(rollups),
        events: { countRange: async () => undefined },
        detection: { markUnjudged: async () => undefined },
        sealing: dueSeals,
        now: () => time.now,
        settleMs: 0,
      },
      () => 600_000,
    );
  await openHours.markHourOpen(scope, hourName(START));
  time.now = START + HOUR + 45 * 60_000;
  await expect(
    close(async () => {
      throw new Error("crashed");
    }),
  ).rejects.toThrow();
  const [mark] = await marksOf(scope);
  expect(mark).toMatchObject({ hour: START });
  expect(await dueSeals.clear(mark as DueSeal)).toBe(true);
  await close(openHours.clear);
  expect(await marksOf(scope)).toMatchObject([{ hour: START }]);
});

it("marks the hours of the events that an erasure has emptied, page by page, and counts nothing", async () => {
  const organizationId = `org-${++organizations}`;
  const idAt = (hours: number) => eventId(START + hours * HOUR + 1, new Uint8Array(16));
  const pages = [[idAt(0), idAt(0)], [idAt(4)]];
  const filters: unknown[] = [];
  const events = {
    read: async (after: string | undefined, options: unknown) => {
      filters.push(options);
      const ids = pages[after === undefined ? 0 : 1] ?? [];
      return { items: ids.map((sortKey) => ({ sortKey })), next: after === undefined ? "next" : undefined };
    },
    apply: async () => undefined,
  };
  const location = sealErasedHours({ dueSeals }, organizationId, { events, erasureId: "e-1" });
  expect(await location.read(undefined)).toMatchObject({ keys: [], next: "next" });
  expect(await location.read("next")).toMatchObject({ keys: [], next: undefined });
  expect(filters[0]).toMatchObject({ filter: { condition: "#erasure = :erasure", values: { erasure: "e-1" } } });
  expect((await marksOf(organizationKey(organizationId))).map(({ hour }) => hour)).toEqual([START, START + 4 * HOUR]);
});
