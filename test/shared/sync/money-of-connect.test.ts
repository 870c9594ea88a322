/** Which events the runs after a connect count as money since it, though the provider's times are whole seconds. */
import { expect, it } from "@jest/globals";
import type { ProviderEvent } from "../../../shared/provider/provider.ts";
import { cursorAt } from "../../../shared/sync/feed-cursor.ts";
import { beginFullRun, readFeed } from "../../../shared/sync/read-feed.ts";
import { contextWith, runWith } from "./step.ts";

const CONNECTED_AT = 5_000_300;

const payout = (id: string, createdSeconds: number): ProviderEvent => ({
  id,
  type: "payout.created",
  createdSeconds,
  observations: [],
  isDeauthorization: false,
  money: { kind: "payout" },
});

it("counts what the feed did not have when the first run began, each event in one run", async () => {
  let feed = [payout("same_second_before", 5_000), payout("before", 4_999)];
  const counted: string[] = [];
  const context = contextWith({
    connectedAt: CONNECTED_AT,
    provider: { ...contextWith({}).provider, listEvents: async () => ({ items: feed, next: undefined }) },
    apply: async () => ({ written: {}, setAside: [] }),
    countMoney: async (events) => void counted.push(...events.map(({ id }) => id)),
  });
  const begun = runWith();
  const first = await beginFullRun(context, begun, begun.work.at);
  feed = [payout("same_second_after", 5_000), ...feed];
  const full = await readFeed(context, first, { phase: "feed", hasMetKnown: false, restarts: 0 });
  expect(counted).toEqual(["same_second_after"]);
  feed = [payout("later", 5_001), ...feed];
  const next = { ...context, cursor: full.work.next ?? cursorAt(undefined) };
  await readFeed(next, { ...runWith(), mode: "incremental" }, { phase: "feed", hasMetKnown: false, restarts: 0 });
  // Events from before the second of the connect are told by their time.
  expect(counted).toEqual(["same_second_after", "later", "before"]);
});
