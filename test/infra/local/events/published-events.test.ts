import { describe, expect, it } from "@jest/globals";
import { createPublishedEvents } from "../../../../infra/local/events/published-events.ts";

describe("published events", () => {
  it("are kept up to a bound, and answered from a time on, that time included", () => {
    const published = createPublishedEvents();
    const event = {
      version: "0",
      id: "",
      "detail-type": "",
      source: "",
      account: "",
      time: "",
      region: "",
      resources: [],
      detail: {},
    } as const;
    for (let at = 1; at <= 1_200; at++)
      published.add({ bus: "b", publishedAt: at, rules: [], event: { ...event, resources: [] } });
    expect(published.since(0)).toHaveLength(1_000);
    expect(published.since(0)[0]?.publishedAt).toBe(201);
    expect(published.since(1_199).map(({ publishedAt }) => publishedAt)).toEqual([1_199, 1_200]);
  });
});
