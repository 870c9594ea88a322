/** Several processes at once, on the real engine. */

import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createCircuitStore } from "../../../shared/circuit-breaker/circuit-store.ts";
import { createStatisticsStore } from "../../../shared/circuit-breaker/statistics-store.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { useEngine } from "../../support/use-table.ts";
import { start } from "./instance.ts";
import type { Race, RaceResult } from "./racer.ts";

quietLog();

/** One process's clock is ahead and one is behind, by the maximum allowed difference. */
const skews = [0, 0, 20_000, -20_000];

const database = useEngine("circuits");
let racers: ChildProcess[] = [];
const message = <Message>(racer: ChildProcess) => new Promise<Message>((resolve) => racer.once("message", resolve));

beforeAll(async () => {
  racers = skews.map((skew) =>
    fork(join(import.meta.dirname, "racer.ts"), [database.endpoint, String(skew)], { execArgv: [] }),
  );
  await Promise.all(racers.map(message));
});
afterAll(async () => {
  for (const racer of racers) racer.send("stop");
  await Promise.all(racers.map((racer) => new Promise((resolve) => racer.once("exit", resolve))));
});

/** All callers of all processes start at once. Held calls are released when no other call can start. */
const race = async (processes: ChildProcess[], each: Omit<Race, "callers">, callers: readonly number[]) => {
  const first = processes.map((racer) => message<RaceResult>(racer));
  for (const [index, racer] of processes.entries()) racer.send({ ...each, callers: callers[index] ?? 0 });
  let results = await Promise.all(first);
  if (each.hold) {
    const ends = processes.map((racer) => message<RaceResult>(racer));
    for (const racer of processes) racer.send("let go");
    results = await Promise.all(ends);
  }
  const sum = (pick: (result: RaceResult) => number) => results.reduce((total, result) => total + pick(result), 0);
  return {
    reached: sum(({ reached }) => reached),
    refused: sum(({ refused }) => refused),
    transitions: results.flatMap(({ transitions }) => transitions).sort((a, b) => a - b),
  };
};
const fifty = [13, 13, 12, 12];
const store = () => createCircuitStore(createTable(database.documentClient(), "circuits"));

describe("four processes", () => {
  it("with 50 concurrent failures open the circuit once", async () => {
    const organizationId = "failing";
    const result = await race(racers, { organizationId, now: start, outcome: "failure", hold: true }, fifty);
    expect(result).toEqual({ reached: 50, refused: 0, transitions: [1] });
    await expect(store().read(organizationId)).resolves.toMatchObject({ state: "open", generation: 1, openings: 1 });
    const statistics = createStatisticsStore(createTable(database.documentClient(), "circuits"));
    await expect(statistics.organizationCounts(organizationId)).resolves.toEqual({
      total: 50,
      failed: 50,
      rejected: 0,
    });
  });

  it("with 50 callers at 30 s reach the provider three times", async () => {
    const organizationId = "recovering";
    const together = racers.slice(0, 2);
    await race(together, { organizationId, now: start, outcome: "failure", hold: true }, [3, 2]);
    const early = { organizationId, now: start + 29_999, outcome: "success", hold: false } as const;
    await expect(race(together, early, [25, 25])).resolves.toMatchObject({ reached: 0, refused: 50 });
    const onTime = { ...early, now: start + 30_000, hold: true };
    const result = await race(together, onTime, [25, 25]);
    expect(result).toEqual({ reached: 3, refused: 47, transitions: [2, 3] });
    await expect(store().read(organizationId)).resolves.toMatchObject({ state: "closed", generation: 3 });
  });

  it("with concurrent failures of all probes open the circuit again once", async () => {
    const organizationId = "still failing";
    const together = racers.slice(0, 2);
    await race(together, { organizationId, now: start, outcome: "failure", hold: true }, [3, 2]);
    const probing = { organizationId, now: start + 30_000, outcome: "failure", hold: true } as const;
    await expect(race(together, probing, [25, 25])).resolves.toEqual({ reached: 3, refused: 47, transitions: [2, 3] });
    await expect(store().read(organizationId)).resolves.toMatchObject({ state: "open", openings: 2 });
  });

  it("with clocks 40 s apart admit exactly three calls per round", async () => {
    const organizationId = "apart";
    await race(racers.slice(0, 1), { organizationId, now: start, outcome: "failure", hold: true }, [5]);
    // Late enough that the circuit is half-open by every clock.
    const probing = { organizationId, now: start + 70_000, outcome: "success", hold: true } as const;
    await expect(race(racers, probing, fifty)).resolves.toMatchObject({ reached: 3, refused: 47 });
    await expect(store().read(organizationId)).resolves.toMatchObject({ state: "closed", generation: 3 });
  });
});
