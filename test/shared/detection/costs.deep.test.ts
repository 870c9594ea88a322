/** The cost of detection: the request units of all tables, per organization and hour. */

import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { HOUR_MS, hourName } from "../../../shared/terms/hours.ts";
import { countUnits } from "../../support/consumed-units.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { usePerTest } from "../../support/use-started.ts";
import { call, createStage, HOUR, refusedToken } from "./stage.ts";
import { useDetectionEngine } from "./use-detection-engine.ts";

quietLog();

const engine = useDetectionEngine();
const stage = usePerTest(() => createStage(engine));
beforeEach(async () => {
  // An organization with syncs, after its first hour of the day.
  await stage.own.client.send(
    new PutCommand({
      TableName: "syncRuns",
      Item: { scope: stage.scope, key: "state", lastSuccessAt: HOUR - HOUR_MS },
    }),
  );
  await stage.record(call("ada"), HOUR - HOUR_MS);
  await stage.own.detect([HOUR - HOUR_MS]);
});

/** Records events of a few users in an hour. @returns the cost of judging the hour. */
const measured = async (events: number, users = 3) => {
  for (let i = 0; i < events; i++) {
    const fields =
      i % 3 === 0 ? call(`user-${i % users}`) : { action: "list_events", metadata: { durationMs: 120, attempts: 1 } };
    await stage.record(fields, HOUR + i * 1_000);
  }
  const worker = stage.worker();
  const measure = countUnits(worker.client);
  return measure(() => worker.detect([HOUR]));
};

describe("an hour of an organization", () => {
  it("costs five read units and one write unit, with four events", async () => {
    // Read: the hour before, the events, the settings of rules, the state of syncing and, at half a unit each, the runs and the own rules.
    expect(await measured(4)).toEqual({ read: 5, write: 1 });
  });

  it("reads each event once: a read unit per 4 KB", async () => {
    const { read, write } = await measured(80, 2);
    expect(read - 4).toBeLessThanOrEqual(Math.ceil((80 * 0.45) / 4));
    expect(write).toBe(1);
  });

  it("costs a few writes for a finding", async () => {
    for (let i = 0; i < 5; i++) await stage.record(refusedToken("ada"), HOUR + i * 1_000);
    const worker = stage.worker();
    const measure = countUnits(worker.client);
    const { write } = await measure(() => worker.detect([HOUR]));
    // The window, the raised alert, its removal from the outbox, and the mark that the window is finished.
    expect(write).toBeLessThanOrEqual(4 + 8 + 4);
  });

  it("costs a read unit if it was judged before", async () => {
    await stage.own.detect([HOUR]);
    const worker = stage.worker();
    const measure = countUnits(worker.client);
    expect(await measure(() => worker.detect([HOUR]))).toEqual({ read: 1, write: 0 });
  });

  it("costs two write units to mark, and two to clear the mark", async () => {
    const worker = stage.worker();
    const measure = countUnits(worker.client);
    expect(await measure(() => worker.unjudged.markUnjudged(stage.scope, HOUR))).toEqual({ read: 0.5, write: 2 });
    expect(await measure(() => worker.unjudged.clear({ scope: stage.scope, hour: HOUR }))).toEqual({
      read: 0,
      write: 2,
    });
  });

  it("has a window below 1 KB if little happens", async () => {
    await measured(12);
    const { Item } = await stage.own.client.send(
      new GetCommand({ TableName: "detection", Key: { scope: stage.scope, key: `window#${hourName(HOUR)}` } }),
    );
    expect(JSON.stringify(Item).length).toBeLessThan(1_000);
  });
});

describe("the first hour of a day", () => {
  it("also costs the baselines and the marks of reports", async () => {
    const tomorrow = HOUR + 15 * HOUR_MS;
    stage.time.now = tomorrow + 2 * HOUR_MS;
    await stage.record(call("ada"), tomorrow);
    const worker = stage.worker();
    const measure = countUnits(worker.client);
    // The window, the organization's baseline and a user's, the mark of the day's report (2) and those of the week's and the month's,
    // which are there already (1 each), and the mark that the window is finished.
    expect(await measure(() => worker.detect([tomorrow]))).toEqual({ read: 5 + 2 + 2, write: 1 + 2 + 4 + 1 });
  });
});
