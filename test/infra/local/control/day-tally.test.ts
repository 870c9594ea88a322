import { expect, it } from "@jest/globals";
import { createDayTally } from "../../../../infra/local/control/day-tally.ts";
import type { Observation } from "../../../../infra/local/core/observation.ts";

const at = (time: string) => Date.parse(`2026-11-${time}:00Z`);

it("sums up each day on which something happened, and the last", () => {
  const reported: Observation[] = [];
  let invocations = 10;
  const tally = createDayTally({ observe: (one) => reported.push(one), invocations: () => invocations });
  const work = (name: string, detailType: string) => {
    invocations++;
    tally.count({ kind: "schedule", name, at: 0 });
    tally.count({ kind: "event", bus: "bus", detailType, rules: [] });
  };

  tally.begin(at("22T14:00"));
  work("hourly", "SyncRequested");
  tally.moveTo(at("22T23:00"));
  work("hourly", "ReportDue");
  tally.moveTo(at("23T01:00"));
  tally.moveTo(at("25T01:00"));
  work("daily", "ReportDue");
  tally.end(at("25T02:00"));

  const elapsedMs = expect.any(Number);
  expect(reported).toEqual([
    {
      kind: "clock",
      day: "2026-11-22",
      schedules: { hourly: 2 },
      events: { SyncRequested: 1, ReportDue: 1 },
      invocations: 2,
      elapsedMs,
    },
    {
      kind: "clock",
      day: "2026-11-25",
      stoppedAt: at("25T02:00"),
      schedules: { daily: 1 },
      events: { ReportDue: 1 },
      invocations: 1,
      elapsedMs,
    },
  ]);
});
