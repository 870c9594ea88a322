/** The nightly run over organizations. */
import { beforeEach, describe, expect, it, jest } from "@jest/globals";
import type { Night } from "../../../shared/completeness/coverage-store.ts";
import { sumDays } from "../../../shared/completeness/sum-days.ts";
import type { LogState } from "../../../shared/sealing/evidence-item.ts";
import { DAY_MS, HOUR_MS } from "../../../shared/terms/hours.ts";
import { quietLog } from "../../support/quiet-log.ts";

quietLog();
const alarms = (): string[] =>
  jest
    .mocked(process.stdout.write)
    .mock.calls.map(([line]) => JSON.parse(String(line)))
    .map(({ alarm, size }) => [alarm, size].filter((part) => part !== undefined).join(" "));

const DAY = Date.UTC(2026, 10, 21);
const DUE = DAY + DAY_MS + 3 * HOUR_MS;

const world = {
  now: DUE,
  state: { start: DAY, size: 24 } as LogState | undefined,
  night: {} as Night,
  broken: [] as number[],
  checks: 0,
  summed: [] as string[],
  fails: undefined as string | undefined,
  waits: undefined as string | undefined,
};
const initial = { ...world };
beforeEach(() => void Object.assign(world, initial, { summed: [] }));

const run = (remainingMs = () => 900_000) =>
  sumDays(
    {
      evidence: { getState: async () => world.state, listHeads: async () => new Map([["org#a", {} as never]]) },
      sums: {
        readNight: async () => world.night,
        putNight: async (night) => {
          world.night = night;
        },
      },
      connectedOrganizations: async function* () {
        yield* ["b", "a", "c"];
      },
      sumOrganization: async (scope, { night }) => {
        expect(night).toBe(DAY);
        if (scope === world.fails) throw new Error("The store fails.");
        world.summed.push(scope);
        return { days: 1, unequal: 0, waiting: scope === world.waits ? 1 : 0 };
      },
      checkCheckpoints: async () => {
        world.checks++;
        return { checked: 24, broken: world.broken };
      },
      now: () => world.now,
    },
    remainingMs,
  );

describe("the night", () => {
  it("sums each organization with a sealed log or a connection once, and is done", async () => {
    expect(await run()).toMatchObject({ organizations: 3, days: 3, checkpoints: 24, broken: 0, isComplete: true });
    expect(world.summed).toEqual(["org#a", "org#b", "org#c"]);
    expect(world.night).toEqual({ night: DAY, checked: DAY });
    expect(await run()).toMatchObject({ organizations: 0, checkpoints: 0 });
    expect([world.summed.length, world.checks]).toEqual([3, 1]);
  });

  it("has nothing to do before the log has a leaf", async () => {
    world.state = undefined;
    expect(await run()).toMatchObject({ organizations: 0 });
    expect(world.night).toEqual({});
  });

  it("goes on after a failure of one organization, and is done by the next run", async () => {
    world.fails = "org#b";
    await expect(run()).rejects.toThrow("1 organizations could not be summed.");
    expect(world.summed).toEqual(["org#a", "org#c"]);
    expect(world.night).toEqual({ checked: DAY });
    world.fails = undefined;
    expect(await run()).toMatchObject({ isComplete: true });
    expect([world.night.night, world.checks]).toEqual([DAY, 1]);
  });

  it.each([
    ["a day waits", () => Object.assign(world, { waits: "org#c" }), () => 900_000],
    ["the time is short", () => undefined, () => 60_000],
  ])("is not done while %s", async (_, prepare, remainingMs) => {
    prepare();
    expect(await run(remainingMs)).toMatchObject({ isComplete: false });
    expect(world.night).toEqual({ checked: DAY });
    expect(alarms()).toEqual([]);
    world.now = DUE + 12 * HOUR_MS;
    await run(remainingMs);
    expect(alarms()).toEqual(["coverage_overdue"]);
  });

  it("alarms for each checkpoint that does not sign the log", async () => {
    world.broken = [3, 9];
    expect(await run()).toMatchObject({ broken: 2, isComplete: true });
    expect(alarms()).toEqual(["checkpoint_broken 3", "checkpoint_broken 9"]);
  });
});
