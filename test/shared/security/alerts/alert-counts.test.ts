import { expect, it } from "@jest/globals";
import { countAlerts } from "../../../../shared/security/alerts/alert-counts.ts";

const NOW = 1_795_262_400_000;

it("counts unexpired alerts by status and level", () => {
  const ttl = NOW / 1_000 + 1;
  const items = [
    { status: "open", level: "LOW", ttl },
    { status: "open", level: "LOW", ttl },
    { status: "open", level: "CRITICAL", ttl },
    { status: "open", level: "CRITICAL", ttl: NOW / 1_000 },
    { status: "acknowledged", level: "MEDIUM", ttl },
  ];
  expect(countAlerts(items, true, NOW)).toEqual({
    open: { LOW: 2, MEDIUM: 0, HIGH: 0, CRITICAL: 1 },
    acknowledged: { LOW: 0, MEDIUM: 1, HIGH: 0, CRITICAL: 0 },
    partial: true,
  });
});
