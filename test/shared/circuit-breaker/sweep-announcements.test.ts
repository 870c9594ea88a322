import { expect, it } from "@jest/globals";
import { sweepAnnouncements } from "../../../shared/circuit-breaker/sweep-announcements.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { useEngine } from "../../support/use-table.ts";
import { createInstance, fail, succeed, testClock } from "./instance.ts";

quietLog();

const database = useEngine("circuits");

it("announces each transition that its instance could not announce, once, and no other, and checks for an outage", async () => {
  const time = testClock();
  const mute = createInstance(database, time.clock, { onTransition: () => Promise.reject(new Error("no bus")) });
  const sweeper = createInstance(database, time.clock);
  let checks = 0;
  const sweep = (remainingMs = 60_000) =>
    sweepAnnouncements(
      {
        ...sweeper,
        async checkOutage() {
          checks++;
        },
        async *connectedOrganizations() {
          yield* ["opened", "closed", "quiet", "new"];
        },
      },
      () => remainingMs,
    );
  await mute.guard("quiet", succeed);
  for (let i = 0; i < 5; i++) await mute.guard("opened", fail).catch(() => undefined);
  await mute.operator.operate("closed", { action: "force_open", by: "alice" });
  await mute.operator.operate("closed", { action: "reset", by: "alice" });
  await mute.guard.flush();
  // The instance that made a transition may still announce it.
  await sweep();
  expect(sweeper.transitions).toEqual([]);
  time.pass(3_600_000);
  await expect(sweep(19_000)).resolves.toBe(0);
  await expect(sweep()).resolves.toBe(2);
  expect(sweeper.transitions.map(({ organizationId, to }) => `${organizationId} ${to}`)).toEqual([
    "opened open",
    "closed forced_open",
    "closed closed",
  ]);
  await expect(sweep()).resolves.toBe(0);
  expect(sweeper.transitions).toHaveLength(3);
  expect(checks).toBe(4);
});
