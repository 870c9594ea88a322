import { describe, expect, it } from "@jest/globals";
import { createEventBuses } from "../../../../infra/local/events/event-buses.ts";

describe("published events", () => {
  it("are kept up to 1,000, and listed from a given time on, inclusive", () => {
    let now = 0;
    const buses = createEventBuses({
      model: { buses: [{ name: "b", arn: "" }], rules: [], accountId: "1", region: "r" },
      clock: { now: () => now },
      deliver: async () => {},
      log: () => {},
    });
    for (now = 1; now <= 1_200; now++) buses.publish("b", { source: "s", detailType: "d", detail: {} });
    expect(buses.publishedSince(0)).toHaveLength(1_000);
    expect(buses.publishedSince(0)[0]?.publishedAt).toBe(201);
    expect(buses.publishedSince(1_199).map(({ publishedAt }) => publishedAt)).toEqual([1_199, 1_200]);
  });
});
