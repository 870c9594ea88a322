import { expect, it } from "@jest/globals";
import { reportIntegrity } from "../../../shared/reports/evidence-fields.ts";

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
