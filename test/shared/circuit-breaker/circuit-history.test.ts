import { expect, it } from "@jest/globals";
import { transitionOf } from "../../../shared/circuit-breaker/circuit-history.ts";
import type { SecurityEvent } from "../../../shared/security/security-event.ts";

const event = (fields: Partial<SecurityEvent>): SecurityEvent => ({
  id: "01",
  eventType: "CIRCUIT_BREAKER_CHANGED",
  category: "system",
  riskLevel: "HIGH",
  source: "system",
  success: false,
  processed: false,
  alertGenerated: true,
  timestamp: 7,
  createdAt: 8,
  ...fields,
});

it("is the transition that the event tells, with its operator and reason", () => {
  const opened = { generation: 3, from: "closed", to: "open", cause: "failures" };
  expect(transitionOf(event({ metadata: opened }))).toEqual({
    id: "01",
    at: 7,
    from: "closed",
    to: "open",
    cause: "failures",
  });
  const forced = { generation: 4, from: "open", to: "forced_closed", cause: "force_close", reason: "a test" };
  expect(transitionOf(event({ userId: "ada", metadata: forced }))).toEqual({
    id: "01",
    at: 7,
    from: "open",
    to: "forced_closed",
    cause: "force_close",
    by: "ada",
    reason: "a test",
  });
});

it("leaves out what it cannot read", () => {
  for (const metadata of [undefined, "text", [], { cut: true }, { from: 1, to: "later", cause: "…[cut]", reason: 7 }]) {
    expect(transitionOf(event({ metadata }))).toEqual({ id: "01", at: 7 });
  }
});
