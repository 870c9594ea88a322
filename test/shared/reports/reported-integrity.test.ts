import { expect, it } from "@jest/globals";
import { reportIntegrity, withSums } from "../../../shared/reports/evidence-fields.ts";

const HOUR = 1_795_219_200_000;
const hoursOf = (...statuses: ("verified" | "not_sealed" | "expired" | "broken")[]) =>
  statuses.map((status, index) => ({
    hour: HOUR + index * 3_600_000,
    status,
    ...(status === "broken" && { problem: "3 events are stored; 4 were sealed." }),
  }));

it.each([
  ["consistent", hoursOf("verified", "verified"), "consistent", "The log is consistent: of 2 hours, 2 are verified."],
  [
    "consistent",
    hoursOf("expired", "verified", "not_sealed"),
    "consistent",
    "The log is consistent: of 3 hours, 1 are verified, 1 were not sealed when the report was made, 1 have expired.",
  ],
  ["consistent", hoursOf("not_sealed"), "not_sealed", "No hour of the period is sealed."],
  [
    "consistent",
    hoursOf("verified", "broken"),
    "broken",
    "The hour 2026-11-21T01:00Z: 3 events are stored; 4 were sealed.",
  ],
  [
    "broken",
    hoursOf("verified"),
    "broken",
    "The log is not the one that its checkpoint signs, or does not count the organization's records.",
  ],
] as const)("a report of a %s log with %j says %s", (log, hours, reported, text) => {
  expect(reportIntegrity({ log, hours })).toEqual({ log: reported, text });
});

it.each([
  [{ days: 0, open: 0, recorded: 0 }, undefined, "Consistent."],
  [{ days: 1, open: 0, recorded: 7 }, true, "Consistent. On the day, the sums of events are equal: 7 are recorded."],
  [
    { days: 30, open: 0, recorded: 70 },
    true,
    "Consistent. On all 30 days, the sums of events are equal: 70 are recorded.",
  ],
  [{ days: 30, open: 1, recorded: 70 }, undefined, "Consistent. The sums of 1 of 30 days follow in the night."],
  [
    { days: 30, open: 1, recorded: 70, problem: "2026-11-03: 1 recorded, 2 counted." },
    false,
    "Consistent. The sums of events are unequal on 2026-11-03: 1 recorded, 2 counted.",
  ],
] as const)("a report with the sums %j says whether they are whole", (sums, isWhole, text) => {
  const integrity = withSums({ log: "consistent", text: "Consistent." }, sums);
  expect(integrity).toEqual({ log: "consistent", text, ...(isWhole !== undefined && { isWhole }) });
});
