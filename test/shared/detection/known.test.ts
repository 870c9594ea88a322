import { describe, expect, it } from "@jest/globals";
import { factOf } from "../../../shared/detection/evidence/fact.ts";
import { createVisibility } from "../../../shared/detection/evidence/known.ts";
import { createEvents, MINUTE } from "../../detection/events.ts";
import { START } from "./judge-hour-inputs.ts";

const events = createEvents("acme");
const call = (user: string, address: string) => factOf(events.call(START, { user, address }));

describe("what a rule sees", () => {
  it.each([
    ["192.0.2.7", ["192.0.2.0/24"], [], false],
    ["192.0.2.7", ["192.0.3.0/24"], [], true],
    ["::ffff:192.0.2.7", ["192.0.2.0/24"], [], false],
    ["2001:db8::7", ["2001:db8::/32"], [], false],
    // A count of a flood has the /64 for an address.
    ["2001:db8:0:1::/64", ["2001:db8::/32"], [], false],
    ["2001:db8:0:1::/64", ["2001:db8:0:1::7/128"], [], true],
    ["198.51.100.1", [], ["ada"], false],
    ["198.51.100.1", [], ["Ada", "ad", "ada2"], true],
  ])("of a call of ada from %s, with networks %j and users %j known: %s", (address, networks, users, isVisible) => {
    const visible = createVisibility({ networks, users });
    expect(visible.facts([call("ada", address)])).toHaveLength(isVisible ? 1 : 0);
    expect(visible.isVisible({ userId: "ada", ipAddress: address })).toBe(isVisible);
  });

  it("of a count is without the part of known users", () => {
    const busiest = ["ada", "bob"].map((userId) => ({ userId, failures: 40, addresses: ["192.0.2.7"], lastAt: START }));
    const count = factOf(events.tokenFailure(START, { address: "192.0.2.7" }, { failures: 90, users: 3, busiest }));
    const [seen] = createVisibility({ networks: [], users: ["ada"] }).facts([count]);
    expect(seen).toEqual({ ...count, failures: 50, users: 2, busiest: [busiest[1]] });
    expect(createVisibility({ networks: ["192.0.2.7/32"], users: [] }).facts([count])).toEqual([]);
    const only = factOf(
      events.tokenFailure(START, { address: "192.0.2.7" }, { failures: 40, users: 1, busiest: busiest.slice(0, 1) }),
    );
    expect(createVisibility({ networks: [], users: ["ada"] }).facts([only])).toEqual([]);
  });

  it("of runs is without those that known users started", () => {
    const startOf = (minute: number, user: string) =>
      factOf({
        ...events.call(START + minute * MINUTE, { user }),
        eventType: "PROVIDER_SYNC_STARTED",
        metadata: { trigger: "manual" },
      });
    const run = (minute: number) => ({
      id: `run-${minute}`,
      trigger: "manual",
      status: "succeeded" as const,
      startedAt: START + minute * MINUTE,
    });
    const visible = createVisibility({ networks: [], users: ["ada"] });
    expect(visible.runs([run(1), run(2), run(3)], [startOf(1, "ada"), startOf(2, "bob")])).toEqual([run(2), run(3)]);
  });
});
