/** How many hours are written at the same time, with simulated stores. */
import { describe, expect, it } from "@jest/globals";
import { createFeedWriter } from "../../../shared/archive/feed-writer.ts";
import { writeDueHours } from "../../../shared/archive/write-due-hours.ts";
import type { DueHour } from "../../../shared/security/feed/due-hour-store.ts";
import { HOUR, NOW } from "../../support/security-events.ts";

const dueOf = (organizationId: string, hoursAgo = 1): DueHour => ({
  scope: `org#${organizationId}`,
  hour: NOW - hoursAgo * HOUR,
  token: "t",
});

/** A feed with these marks in its first shard. `mostAtOnce`: hours that were begun and not cleared. */
const createWorld = (marks: readonly DueHour[]) => {
  const seen = { leases: 0, mostAtOnce: 0, cleared: [] as DueHour[] };
  const held = new Set<string>();
  let underWay = 0;
  const feed = createFeedWriter({
    objects: { put: async () => undefined, delete: async () => undefined },
    region: "eu-central-1",
    async isSwitchedOn(organizationId) {
      seen.mostAtOnce = Math.max(seen.mostAtOnce, ++underWay);
      return !organizationId.startsWith("off");
    },
  });
  const run = (shard?: string) =>
    writeDueHours(
      {
        events: { async *read() {} },
        writers: [feed],
        dueHours: {
          async *listAll(one) {
            if (one === "feed#0") yield* marks;
          },
          async clear(due) {
            underWay--;
            return seen.cleared.push(due) > 0;
          },
          async takeLease(scope) {
            seen.leases++;
            if (held.has(scope)) return undefined;
            held.add(scope);
            return "lease";
          },
          releaseLease: async (scope) => void held.delete(scope),
        },
        bus: { publish: async () => [] },
        now: () => NOW,
      },
      shard === undefined ? {} : { shard },
      () => 300_000,
    );
  return { seen, run };
};

describe("the feed", () => {
  const many = Array.from({ length: 40 }, (_, number) => dueOf(`o${number}`));

  it("writes eight hours at once if an invocation has one shard", async () => {
    const { seen, run } = createWorld(many);
    await expect(run("feed#0")).resolves.toMatchObject({ written: 40, left: 0 });
    expect(seen.mostAtOnce).toBe(8);
  });

  it("writes one hour of each shard at once if an invocation has all shards", async () => {
    const { seen, run } = createWorld(many);
    await expect(run()).resolves.toMatchObject({ written: 40, left: 0 });
    expect(seen.mostAtOnce).toBe(1);
  });

  it("writes the hours of an organization one after the other, and leaves none of them", async () => {
    const marks = [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1].map((hoursAgo) => dueOf("a", hoursAgo));
    const { seen, run } = createWorld(marks);
    await expect(run("feed#0")).resolves.toMatchObject({ written: 12, left: 0 });
    expect(seen.mostAtOnce).toBe(1);
    expect(seen.cleared).toEqual(marks);
  });

  it("takes no lease of an organization without a feed", async () => {
    const { seen, run } = createWorld([dueOf("off"), dueOf("on")]);
    await expect(run()).resolves.toMatchObject({ written: 1, skipped: 1, left: 0 });
    expect(seen.leases).toBe(1);
    expect(seen.cleared).toHaveLength(2);
  });
});
