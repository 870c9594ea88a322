import { describe, expect, it } from "@jest/globals";
import type { Fact } from "../../../shared/detection/evidence/fact.ts";
import { connectionAfter, connectionAtStart, pastConnectedSpans } from "../../../shared/previews/past-syncing.ts";

const fact = (at: number, type: Fact["type"], fields: Partial<Fact> = {}): Fact => ({
  id: `event ${at}`,
  at,
  type,
  category: "integration",
  riskLevel: "MEDIUM",
  source: "user",
  success: true,
  ...fields,
});
const connected = (at: number, fields?: Partial<Fact>) => fact(at, "PROVIDER_CONNECTION_ESTABLISHED", fields);
const removed = (at: number) => fact(at, "PROVIDER_CONNECTION_REMOVED");

describe("a connection in the past", () => {
  const unknown = connectionAtStart(undefined, 10);
  const spansAfter = (...facts: Fact[]) => pastConnectedSpans(connectionAfter(unknown, facts));

  it("lasts from its first sign to its end, and is not broken by another key", () => {
    expect(spansAfter()).toEqual([]);
    expect(spansAfter(connected(11))).toEqual([{ since: 11 }]);
    expect(spansAfter(fact(11, "PROVIDER_SYNC_STARTED"), connected(12))).toEqual([{ since: 11 }]);
    expect(spansAfter(connected(11), connected(12), connected(13, { success: false }))).toEqual([{ since: 11 }]);
    expect(connectionAfter(unknown, [connected(11), connected(12)]).connectedAt).toBe(12);
    expect(spansAfter(connected(11), removed(12))).toEqual([]);
    expect(spansAfter(connected(11), removed(12), connected(13))).toEqual([{ since: 13 }]);
    const refused = fact(12, "AUTHENTICATION_FAILURE", { action: "require_reconnect", success: false });
    expect(spansAfter(connected(11), refused)).toEqual([]);
  });

  it("is known from the start if the present one has lasted since", () => {
    const present = { connectedAt: 20, connectedSince: 9 };
    expect(pastConnectedSpans(connectionAtStart(present, 10))).toEqual([{ since: 9 }]);
    expect(pastConnectedSpans(connectionAtStart(present, 8))).toEqual([]);
  });
});
