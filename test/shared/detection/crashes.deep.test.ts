import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { userHash } from "../../../shared/detection/detection.ts";
import { DAY_MS } from "../../../shared/terms/hours.ts";
import { rangeOf } from "../../support/depth.ts";
import { createTurns } from "../../support/interleaving.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { call, createStage, HOUR, refusedToken, type Stage } from "./stage.ts";
import { useDetectionEngine } from "./use-detection-engine.ts";

quietLog();

const engine = useDetectionEngine();
let stage: Stage;
beforeEach(() => {
  stage = createStage(engine);
});

const MINUTE = 60_000;

/** Five refused tokens of one user, a minute apart. */
const bruteForce = async (from: number, user = "ada") => {
  for (let i = 0; i < 5; i++) await stage.record(refusedToken(user), from + i * MINUTE);
};

/** A client, and a bus, that crash at the call with that number, before or after the store handled it. */
const dying = (at: number, when: "before" | "after") => {
  let calls = 0;
  const step = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const mine = calls++;
    if (mine > at || (mine === at && when === "before")) throw new Error("the function died");
    const result = await work();
    if (mine === at) throw new Error("the function died");
    return result;
  };
  return {
    calls: () => calls,
    prepare: (client: DynamoDBDocumentClient) =>
      client.middlewareStack.add((next) => (args) => step(() => next(args)), { step: "initialize", name: "dying" }),
    beforePublishing: () => step(async () => undefined),
  };
};

/** Two days of an organization, each with an attack. They cover every effect of judging an hour. */
const prepareDays = async () => {
  const yesterday = HOUR - DAY_MS;
  await bruteForce(yesterday);
  await bruteForce(HOUR, "bob");
  await stage.record(call("bob"), HOUR + 30 * MINUTE);
  for (const hour of [yesterday, HOUR]) await stage.own.unjudged.markUnjudged(stage.scope, hour);
  return { hours: [yesterday, HOUR], due: { marked: [yesterday, HOUR] } };
};

const outcome = async (of: Stage) => {
  const windows = await Promise.all([HOUR - DAY_MS, HOUR].map((hour) => of.own.windows.get(of.scope, hour)));
  const hash = (user: string) => userHash(of.scope, user);
  const users = await of.own.baselines.getUsers(of.scope, [hash("ada"), hash("bob")]);
  return {
    alerts: (await of.findings())
      .map(({ rule, subject, count, eventIds, evidence }) => ({
        rule,
        subject,
        count,
        events: eventIds.length,
        evidence,
      }))
      .sort((a, b) => (a.subject < b.subject ? -1 : 1)),
    windows: windows.map(
      (window) => window && { findings: window.findings.length, isFinished: window.finishedAt !== undefined },
    ),
    days: (await of.own.baselines.get(of.scope))?.history.days,
    users: [...users.values()].map(({ history }) => history.days),
  };
};

const expected = {
  alerts: ["user:ada", "user:bob"].map((subject) =>
    expect.objectContaining({ rule: "repeated_auth_failures", subject, count: 1, events: 5 }),
  ),
  windows: [1, 1].map((findings) => ({ findings, isFinished: true })),
  days: [{ day: "2026-11-20", calls: 5, peak: 5 }],
  users: [[{ day: "2026-11-20", calls: 5, peak: 5 }]],
};

describe("a crash of the detector", () => {
  it.each(["before", "after"] as const)("%s any of its calls changes no result", async (when) => {
    let calls = 0;
    for (let isDone = false; !isDone; calls++) {
      stage = createStage(engine);
      const { hours, due } = await prepareDays();
      const { prepare, beforePublishing } = dying(calls, when);
      isDone = await stage
        .worker(prepare, beforePublishing)
        .detect(hours, due)
        .then(
          () => true,
          () => false,
        );
      await stage.worker().detect(hours, due);
      expect(await outcome(stage)).toEqual(expected);
    }
    expect(calls).toBeGreaterThan(25);
  });
});

describe("concurrent detectors", () => {
  it.each(rangeOf(6))("have the same result in any order of their calls (%i)", async (seed) => {
    const { hours, due } = await prepareDays();
    const turns = createTurns(seed);
    const workers = Array.from({ length: 3 }, (_, i) =>
      stage.worker(turns.delay, () => turns.pause()).detect(i === 2 ? hours.slice(1) : hours, due),
    );
    await turns.run(workers);
    const { alerts, windows } = await outcome(stage);
    expect({ alerts, windows }).toEqual({ alerts: expected.alerts, windows: expected.windows });
  });
});
