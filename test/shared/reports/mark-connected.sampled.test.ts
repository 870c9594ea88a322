import { describe, expect, it } from "@jest/globals";
import { createReportDispatcher } from "../../../shared/reports/dispatch-reports.ts";
import { ORGANIZATIONS_PER_CHUNK } from "../../../shared/reports/mark-connected.ts";
import { periodOf } from "../../../shared/reports/period.ts";
import type { DueReport, Marking } from "../../../shared/reports/report-due-store.ts";
import type { BusEvent } from "../../../shared/runtime/event-bus.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../shared/terms/hours.ts";
import { organizationIdOf, organizationKey } from "../../../shared/terms/keys.ts";
import { depth } from "../../support/depth.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { SATURDAY } from "./samples.ts";

quietLog();

const INVOCATION_MS = 900_000;

/** Half a processor signs and sends 1,500 calls a second. A sample of the organizations has slower calls. */
const MILLION_CALLS_MS = 670_000;

/** A service whose organizations are numbers, marked through Friday, and whose function is killed when its time is over. */
const createWorld = (organizations: number, callMs = 0) => {
  const time = { now: SATURDAY + 31 * MINUTE_MS, endsAt: 0, killAfterCalls: Number.POSITIVE_INFINITY };
  const state: { marking: Marking } = { marking: { through: SATURDAY - DAY_MS } };
  const marks = new Map<number, Uint8Array>();
  const marksOf = ({ from }: { from: number }) => {
    const known = marks.get(from) ?? new Uint8Array(organizations);
    marks.set(from, known);
    return known;
  };
  const numberOf = ({ scope }: DueReport) => Number(organizationIdOf(scope));
  const call = () => {
    time.now += callMs;
    if (time.now > time.endsAt || time.killAfterCalls-- === 0) throw new Error("The function's time is over.");
  };
  const published: BusEvent[] = [];
  const waiting: DueReport = { scope: organizationKey("busy"), period: periodOf("compliance", SATURDAY - DAY_MS) };
  const dispatch = createReportDispatcher({
    due: {
      async unmarked(scopes, periods) {
        const all = scopes.flatMap((scope) => periods.map((period) => ({ scope, period })));
        for (let read = 0; read < all.length * 2; read += 100) call();
        return all.filter((one) => marksOf(one.period)[numberOf(one)] === 0);
      },
      async mark(one) {
        call();
        const known = marksOf(one.period);
        known[numberOf(one)] = (known[numberOf(one)] ?? 0) + 1;
      },
      async readMarking() {
        return state.marking;
      },
      async storeMarking(marking) {
        state.marking = marking;
      },
      async *listAll() {
        yield waiting;
      },
    },
    async *connectedOrganizations(after = "-1") {
      for (let number = Number(after) + 1; number < organizations; number++) yield `${number}`;
    },
    bus: {
      publish: async (events) => {
        published.push(...events);
        return [];
      },
    },
    clock: () => time.now,
    sleep: async () => undefined,
  });
  return {
    time,
    state,
    published,
    compliance: (day: number) => marksOf(periodOf("compliance", day)),
    async runHour() {
      const begunAt = time.now;
      time.endsAt = begunAt + INVOCATION_MS;
      try {
        return await dispatch(() => time.endsAt - time.now);
      } finally {
        time.now = begunAt + HOUR_MS;
      }
    },
  };
};

describe("marking connected organizations", () => {
  it("marks a million within hours, each once, and each of these hours requests the reports that are due", async () => {
    const organizations = depth(50_000, 1_000_000);
    const world = createWorld(organizations, MILLION_CALLS_MS / organizations);
    // Before the first marking, each has four reports to mark: two days, a week and a month.
    world.state.marking = {};
    let hours = 0;
    while (world.state.marking.through !== SATURDAY) {
      await world.runHour();
      expect(world.published).toHaveLength(++hours);
    }
    expect(hours).toBeLessThan(13);
    for (const day of [SATURDAY - DAY_MS, SATURDAY]) {
      expect(world.compliance(day).every((times) => times === 1)).toBe(true);
    }
    expect(await world.runHour()).toMatchObject({ connected: 0 });
  });

  it("continues where it was, if the function is killed, and marks none twice", async () => {
    const organizations = 4 * ORGANIZATIONS_PER_CHUNK;
    const world = createWorld(organizations);
    world.compliance(SATURDAY - DAY_MS).fill(1);
    world.time.killAfterCalls = 2.5 * ORGANIZATIONS_PER_CHUNK;
    await expect(world.runHour()).rejects.toThrow("time is over");
    expect(world.state.marking.current).toEqual({ day: SATURDAY, after: `${2 * ORGANIZATIONS_PER_CHUNK - 1}` });
    await world.runHour();
    expect(world.state.marking).toEqual({ through: SATURDAY });
    expect(world.compliance(SATURDAY).every((times) => times === 1)).toBe(true);
  });

  it("marks the day before for an organization that connected during it, and for no other", async () => {
    const world = createWorld(1_000);
    const before = world.compliance(SATURDAY - DAY_MS).fill(1, 0, 999);
    await world.runHour();
    expect(before.every((times) => times === 1)).toBe(true);
  });

  it("marks the next day when a marking that took longer than its day is complete", async () => {
    const world = createWorld(1_000);
    world.state.marking = { through: SATURDAY - DAY_MS, current: { day: SATURDAY, after: "4" } };
    world.time.now = SATURDAY + DAY_MS + 31 * MINUTE_MS;
    await world.runHour();
    expect(world.state.marking).toEqual({ through: SATURDAY });
    await world.runHour();
    expect(world.state.marking).toEqual({ through: SATURDAY + DAY_MS });
    expect(world.compliance(SATURDAY + DAY_MS).every((times) => times === 1)).toBe(true);
  });
});
