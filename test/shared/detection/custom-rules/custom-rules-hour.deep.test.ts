/** Own rules on a real engine: crashes, dry runs, late hours and silence. */
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "@jest/globals";
import type { StoredRule } from "../../../../shared/detection/custom-rules/custom-rule-item.ts";
import { toView } from "../../../../shared/detection/custom-rules/custom-rule-store.ts";
import { HOUR_MS, MINUTE_MS } from "../../../../shared/terms/hours.ts";
import { rangeOf } from "../../../support/depth.ts";
import { createTurns } from "../../../support/interleaving.ts";
import { quietLog } from "../../../support/quiet-log.ts";
import { call, createStage, HOUR, type Stage } from "../stage.ts";
import { useDetectionEngine } from "../use-detection-engine.ts";

quietLog();

const engine = useDetectionEngine();
let stage: Stage;
beforeEach(() => {
  stage = createStage(engine);
});

const rule = (id: string, fields: Partial<StoredRule>): StoredRule => ({
  id,
  name: `Rule ${id}`,
  level: "MEDIUM",
  mode: "live",
  filter: { eventTypes: ["DATA_READ"] },
  measure: "count",
  groupBy: "userId",
  windowMinutes: 60,
  condition: { gte: 3 },
  revision: 1,
  createdAt: HOUR - 48 * HOUR_MS,
  createdBy: "ada",
  changedAt: HOUR - 48 * HOUR_MS,
  changedBy: "ada",
  version: "1",
  ...fields,
});

const attack = [{ tactic: "TA0009", technique: "T1213" }];

const { groupBy: _, ...silence } = rule("silence", { windowMinutes: 120, condition: { lt: 5 } });

const prepare = async () => {
  const rules = [rule("live", { attack }), rule("dry", { mode: "dryRun" }), silence];
  for (const one of rules) await stage.own.customRules.create(stage.organizationId, one);
  // Two before the border and one after it; three more in the second hour.
  for (const minute of [50, 55, 65, 66]) await stage.record(call("bob"), HOUR + minute * MINUTE_MS);
  return [HOUR, HOUR + HOUR_MS];
};

const outcome = async () => {
  const dry = await stage.own.customRules.read(stage.organizationId, "dry");
  return {
    alerts: (await stage.findings()).map(({ rule, subject, title, count, eventIds, attack }) => ({
      attack,
      rule,
      subject,
      title,
      count,
      events: eventIds.length,
    })),
    dryRun: dry && toView(dry).dryRun,
  };
};

const expected = {
  alerts: expect.arrayContaining([
    { attack, rule: "custom_live", subject: "userId:bob", title: "Rule live", count: 1, events: 4 },
    { attack: undefined, rule: "custom_silence", subject: "organization", title: "Rule silence", count: 1, events: 4 },
  ]),
  dryRun: {
    since: HOUR - 48 * HOUR_MS,
    wouldHaveRaised: 1,
    samples: [
      {
        subject: "userId:bob",
        hour: HOUR + HOUR_MS,
        count: 4,
        firstSeen: HOUR + 50 * MINUTE_MS,
        lastSeen: HOUR + 66 * MINUTE_MS,
        eventIds: expect.any(Array),
      },
    ],
  },
};

/** A client that crashes at the call with that number, before or after the store handled it. */
const dying = (at: number, when: "before" | "after") => {
  let calls = 0;
  return (client: DynamoDBDocumentClient) =>
    client.middlewareStack.add(
      (next) => async (args) => {
        const mine = calls++;
        if (mine > at || (mine === at && when === "before")) throw new Error("the function died");
        const result = await next(args);
        if (mine === at) throw new Error("the function died");
        return result;
      },
      { step: "initialize", name: "dying" },
    );
};

describe("own rules", () => {
  it.each(["before", "after"] as const)("have one result if the instance crashes %s any call", async (when) => {
    let calls = 0;
    for (let isDone = false; !isDone; calls++) {
      stage = createStage(engine);
      const hours = await prepare();
      isDone = await stage
        .worker(dying(calls, when))
        .detect(hours)
        .then(
          () => true,
          () => false,
        );
      await stage.worker().detect(hours);
      const { alerts, dryRun } = await outcome();
      expect({ alerts, dryRun }).toEqual(expected);
      expect(alerts).toHaveLength(2);
    }
    expect(calls).toBeGreaterThan(15);
  });

  it.each(rangeOf(4))("have one result of concurrent invocations (%i)", async (seed) => {
    const hours = await prepare();
    const turns = createTurns(seed);
    const workers = rangeOf(3).map(() => stage.worker(turns.delay, () => turns.pause()).detect(hours));
    await turns.run(workers);
    expect(await outcome()).toEqual(expected);
  });

  it("do not see events that are recorded after their hour was judged", async () => {
    const [first = 0, second = 0] = await prepare();
    await stage.own.detect([first]);
    await stage.record(call("eve"), HOUR + 58 * MINUTE_MS);
    await stage.record(call("eve"), HOUR + 59 * MINUTE_MS);
    await stage.record(call("eve"), HOUR + 61 * MINUTE_MS);
    await stage.own.detect([first, second]);
    const { alerts } = await outcome();
    expect(alerts.map(({ rule, subject }) => [rule, subject])).toEqual([["custom_live", "userId:bob"]]);
  });

  it("with lt have the last hours of their windows dispatched, also those of missed dispatches", async () => {
    await prepare();
    const dueAt = async (at: number): Promise<number[]> => {
      stage.time.now = at + 6 * MINUTE_MS;
      const before = stage.published.length;
      await stage.own.dispatch({}, () => 60_000);
      const details = stage.published.slice(before).flatMap(({ detail }) => Object.values(detail));
      return details
        .filter((due) => (due as { organizationId?: string }).organizationId === stage.organizationId)
        .flatMap((due) => (due as { hours: number[] }).hours);
    };
    // The open hours with events are due as well until they are closed, so look at later ones.
    const later = HOUR + 30 * HOUR_MS;
    expect((await dueAt(later)).includes(later - HOUR_MS)).toBe(true);
    expect((await dueAt(later + HOUR_MS)).includes(later)).toBe(false);
    const missed = await dueAt(later + 6 * HOUR_MS);
    expect(missed.filter((hour) => hour > later)).toEqual([1, 3, 5].map((hours) => later + hours * HOUR_MS));
  });

  it("of a changed rule start again, also their dry run", async () => {
    const hours = await prepare();
    await stage.own.detect(hours);
    const found = await stage.own.customRules.read(stage.organizationId, "dry");
    if (found === undefined) throw new Error("There is no rule.");
    const changed = { ...found.rule, revision: 2, changedAt: HOUR + 2 * HOUR_MS, version: "2" };
    expect(await stage.own.customRules.replace(stage.organizationId, changed, "1")).toBe(true);
    expect((await outcome()).dryRun).toEqual({ since: changed.changedAt, wouldHaveRaised: 0, samples: [] });
    for (const minute of [121, 122]) await stage.record(call("bob"), HOUR + minute * MINUTE_MS);
    await stage.own.detect([HOUR + 2 * HOUR_MS]);
    expect((await outcome()).dryRun).toMatchObject({ wouldHaveRaised: 0 });
    await stage.record(call("bob"), HOUR + 181 * MINUTE_MS - 5_000);
    await stage.own.detect([HOUR + 3 * HOUR_MS]);
    expect((await outcome()).dryRun).toMatchObject({ wouldHaveRaised: 1, since: changed.changedAt });
  });
});
