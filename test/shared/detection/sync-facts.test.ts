import { randomBytes } from "node:crypto";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "@jest/globals";
import { circuitKey } from "../../../shared/circuit-breaker/circuit-keys.ts";
import { leastNeed } from "../../../shared/detection/rules/rules.ts";
import { createReadSyncFacts } from "../../../shared/detection/sync-facts-store.ts";
import { eventId } from "../../../shared/security/event-id.ts";
import { noProgress, type SyncRun } from "../../../shared/sync/sync-run.ts";
import { newWork } from "../../../shared/sync/sync-work.ts";
import { HOUR_MS } from "../../../shared/terms/hours.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { usePerTest } from "../../support/use-started.ts";
import { createStage, HOUR, SYNC_INTERVAL_MS } from "./stage.ts";
import { useDetectionEngine } from "./use-detection-engine.ts";

quietLog();

const engine = useDetectionEngine();
const stage = usePerTest(() => createStage(engine));

const END = HOUR + HOUR_MS;
const SILENT = END - 2 * SYNC_INTERVAL_MS;

const put = (TableName: string, Item: Record<string, unknown>) =>
  stage.own.client.send(new PutCommand({ TableName, Item }));

const connect = (connectedAt: number, fields: Record<string, unknown> = {}) =>
  put("connections", {
    id: stage.scope,
    status: "connected",
    connectionId: "c1",
    method: "api_key",
    accountId: "acct_1",
    connectedAt,
    credentials: new Uint8Array(4),
    credentialsVersion: "v1",
    ...fields,
  });
const circuit = (fields: Record<string, unknown>) =>
  put("circuits", { id: circuitKey(stage.organizationId), generation: 1, ...fields });
const state = (fields: Record<string, unknown>) => put("syncRuns", { scope: stage.scope, key: "state", ...fields });

const runAt = (startedAt: number, fields: Partial<SyncRun> = {}) => {
  const id = eventId(startedAt, randomBytes(16));
  const run = { trigger: "manual", mode: "incremental", status: "succeeded", progress: noProgress() };
  const times = { startedAt, finishedAt: startedAt + 1_000 };
  return put("syncRuns", { scope: stage.scope, key: `run#${id}`, id, ...run, ...times, ttl: 9e9, ...fields });
};

const found = async () => {
  await stage.own.detect([HOUR]);
  return (await stage.findings()).map(({ rule, subject, count, evidence }) => ({ rule, subject, count, evidence }));
};

const silence = [expect.objectContaining({ rule: "sync_silence", subject: "connection" })];

describe("silence", () => {
  it("is found for a connection that never synced, once per hour", async () => {
    await connect(SILENT);
    expect(await found()).toEqual(silence);
    stage.time.now += HOUR_MS;
    await stage.own.detect([END]);
    expect(await stage.findings()).toMatchObject([{ rule: "sync_silence", count: 2, firstSeen: SILENT }]);
  });

  it.each<[string, boolean, () => Promise<unknown>]>([
    ["the last success is two intervals old", true, () => state({ lastSuccessAt: SILENT })],
    ["the last success is younger", false, () => state({ lastSuccessAt: SILENT + 1 })],
    ["the connection was made since", false, () => connect(SILENT + 1)],
    ["the connection waits to be reconnected", false, () => connect(SILENT, { status: "needs_reconnect" })],
    ["the connection is disconnected", false, () => put("connections", { id: stage.scope, status: "disconnected" })],
    ["an operator holds the circuit open", false, () => circuit({ state: "forced_open", sh: "f" })],
    ["the circuit is open", false, () => circuit({ state: "open", sh: "0", ou: stage.time.now + 1_000 })],
    ["the circuit is half open", false, () => circuit({ state: "open", sh: "0", ou: SILENT })],
    [
      "the circuit was closed since",
      false,
      () => circuit({ state: "closed", starts: [{ to: "closed", cause: "probes_succeeded", at: SILENT + 1 }] }),
    ],
    ["the hold ended since", false, () => circuit({ state: "forced_open", sh: "f", ou: SILENT + 1 })],
    [
      "the circuit was closed long ago",
      true,
      () => circuit({ state: "closed", starts: [{ to: "closed", cause: "reset", at: SILENT }] }),
    ],
  ])("if %s: %p", async (_what, isFound, change) => {
    await connect(SILENT);
    await change();
    expect(await found()).toEqual(isFound ? silence : []);
  });
});

describe("runs", () => {
  it("are read for the hour and its windows, including the running one", async () => {
    await state({
      lastSuccessAt: HOUR,
      run: {
        id: eventId(HOUR + 900_000, randomBytes(16)),
        trigger: "manual",
        mode: "full",
        startedAt: HOUR + 900_000,
        progress: noProgress(),
        work: newWork("full"),
      },
    });
    for (let i = 0; i < 13; i++) await runAt(HOUR + (i - 2) * 60_000);
    await runAt(END);
    expect(await found()).toEqual([
      expect.objectContaining({
        rule: "abnormal_sync_frequency",
        subject: "trigger:manual",
        evidence: expect.objectContaining({ count: 14 }),
      }),
    ]);
  });

  it("cause no finding if earlier days had as many", async () => {
    await state({ lastSuccessAt: HOUR });
    await stage.own.detect([HOUR - 10 * 24 * HOUR_MS]);
    for (let day = 0; day <= 9; day++) {
      for (let i = 0; i < 12; i++) await runAt(HOUR - day * 24 * HOUR_MS + i * 60_000);
    }
    expect(await found()).toEqual([]);
  });
});

describe("the baseline of runs", () => {
  it.each([
    [0, 2],
    [1, 1],
  ])("counts a run that began %i ms more than an hour before the hour as far as windows reach", async (ms, reads) => {
    let ended = 0;
    const times = Array.from({ length: leastNeed("runs") }, (_, index) => HOUR - HOUR_MS + index);
    const runs = times.map((startedAt, index) => ({
      id: String(index),
      trigger: "manual",
      status: "succeeded" as const,
      startedAt: index === 0 ? startedAt - ms : startedAt,
    }));
    const read = createReadSyncFacts({
      connections: { read: () => Promise.reject(new Error("not needed")) },
      circuits: { read: () => Promise.reject(new Error("not needed")) },
      runs: { readState: async () => ({ lastSuccessAt: HOUR }) },
      syncFacts: {
        endedRuns: async () => {
          ended++;
          return runs;
        },
      },
      syncIntervalMs: SYNC_INTERVAL_MS,
    });
    await read(
      "acme",
      { start: HOUR, end: END },
      { since: HOUR - 24 * HOUR_MS, leastRuns: leastNeed("runs"), now: END },
    );
    expect(ended).toBe(reads);
  });
});
