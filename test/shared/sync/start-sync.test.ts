import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type Circuit, newCircuit } from "../../../shared/circuit-breaker/circuit.ts";
import type { StoredConnection } from "../../../shared/connection/connection-item.ts";
import { createIdempotencyStore } from "../../../shared/runtime/idempotency-store.ts";
import { createStartSync, type StartSyncDependencies } from "../../../shared/sync/start-sync.ts";
import type { EmbeddedDynamoDb } from "../../support/embedded-dynamodb.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { createStage, NOW, RUNS, startSyncEngine } from "./stage.ts";

quietLog();

let engine: EmbeddedDynamoDb;
beforeAll(async () => {
  engine = await startSyncEngine();
});
afterAll(() => engine.stop());

const connected: StoredConnection = {
  ...{ status: "connected", connectionId: "connection", method: "api_key", accountId: "acct_1", connectedAt: NOW },
  ...{ credentials: new Uint8Array(), credentialsVersion: "1" },
};
const broken: StoredConnection = {
  ...{ status: "needs_reconnect", connectionId: "connection", method: "oauth", accountId: "acct_1", connectedAt: NOW },
  credentialsVersion: "1",
};

/** A client's requests, on a new stage. */
const createClient = () => {
  const stage = createStage(engine);
  const { organizationId } = stage;
  const state: { connection: StoredConnection; circuit: Circuit } = { connection: connected, circuit: newCircuit };
  const parts: StartSyncDependencies = {
    connections: { read: async () => state.connection },
    circuits: { read: async () => state.circuit },
    runs: stage.runs,
    startRun: stage.startRun,
    keys: createIdempotencyStore(stage.client, RUNS),
    clock: stage.clock,
    newRunId: stage.newRunId,
  };
  const by = (idempotencyKey?: string) => ({
    caller: { organizationId, userId: "ada", sessionId: "session" },
    origin: { requestId: "request", ipAddress: "192.0.2.7", userAgent: "curl" },
    idempotencyKey,
  });
  const post = (mode?: "full" | "incremental", key?: string) =>
    createStartSync(parts)(mode === undefined ? undefined : { mode }, by(key));
  return { stage, state, parts, post };
};

describe("a run on demand", () => {
  it("is listed at once, requests a worker, and names its requester", async () => {
    const { stage, post } = createClient();
    const run = await post();
    expect(run).toMatchObject({ trigger: "manual", mode: "full", status: "running", startedAt: NOW });
    await expect(stage.list()).resolves.toEqual([run]);
    expect(stage.published).toMatchObject([{ detailType: "SyncRequested", detail: { runId: run.id } }]);
    await stage.deliverAll();
    expect([...stage.recorded.values()]).toMatchObject(
      Array(2).fill({ source: "user", userId: "ada", sessionId: "session", ipAddress: "192.0.2.7", userAgent: "curl" }),
    );
    await expect(stage.list()).resolves.toMatchObject([{ id: run.id, status: "succeeded" }]);
    // The requester is removed after the run.
    await expect(stage.runs.findEnded(stage.organizationId, run.id)).resolves.not.toHaveProperty("askedBy");
    await expect(post()).resolves.toMatchObject({ mode: "incremental" });
    await stage.deliverAll();
    await expect(post("full")).resolves.toMatchObject({ mode: "full" });
  });

  it("requires a connection", async () => {
    const { stage, state, post } = createClient();
    for (const connection of [{ status: "disconnected" } as const, broken]) {
      state.connection = connection;
      await expect(post()).rejects.toMatchObject({ code: "not_connected" });
    }
    await expect(stage.list()).resolves.toEqual([]);
  });

  it("is refused while the circuit is open, with the time to retry; a half-open circuit allows it", async () => {
    const { state, post } = createClient();
    state.circuit = { ...newCircuit, state: "open", until: NOW + 12_300 };
    await expect(post()).rejects.toMatchObject({ code: "circuit_open", retryAfterSeconds: 13 });
    state.circuit = { ...newCircuit, state: "forced_open" };
    await expect(post()).rejects.toMatchObject({ code: "circuit_open", retryAfterSeconds: undefined });
    state.circuit = { ...newCircuit, state: "open", until: NOW };
    await expect(post()).resolves.toMatchObject({ status: "running" });
  });

  it("is refused while another run is active, and requests a worker if that run has none", async () => {
    const { stage, post } = createClient();
    const first = await post();
    stage.published.length = 0;
    await expect(post()).rejects.toMatchObject({ code: "sync_running" });
    expect(stage.published).toEqual([]);
    stage.time.now += 60_001;
    await expect(post()).rejects.toMatchObject({ code: "sync_running" });
    expect(stage.published).toMatchObject([{ detail: { runId: first.id } }]);
    await stage.deliverAll();
    await expect(stage.list()).resolves.toMatchObject([{ id: first.id, status: "succeeded" }]);
  });

  it("replaces a run that was decided and not closed by a worker that crashed", async () => {
    const { stage, post } = createClient();
    const first = await post();
    await stage.ends.decide(stage.organizationId, { ...first, status: "failed", finishedAt: NOW });
    stage.time.now += 60_001;
    const second = await post();
    await expect(stage.list()).resolves.toMatchObject([
      { id: second.id, status: "running" },
      { id: first.id, status: "failed" },
    ]);
  });

  it("is withdrawn if the bus refuses the request, so that the client may retry at once", async () => {
    const { stage, parts, post } = createClient();
    parts.startRun = async (wanted, state) => ({ ...(await stage.startRun(wanted, state)), isRequested: false });
    await expect(post()).rejects.toMatchObject({ code: "store_unavailable" });
    await expect(stage.list()).resolves.toEqual([]);
    parts.startRun = stage.startRun;
    await expect(post()).resolves.toMatchObject({ status: "running" });
  });
});

describe("a run on demand with an Idempotency-Key", () => {
  it("returns the same run with the first answer, also if the run has ended", async () => {
    const { stage, state, post } = createClient();
    const first = await post(undefined, "key");
    await expect(post(undefined, "key")).resolves.toEqual(first);
    await stage.deliverAll();
    state.circuit = { ...newCircuit, state: "forced_open" };
    stage.time.now += 86_399_999;
    await expect(post(undefined, "key")).resolves.toEqual(first);
    await expect(stage.list()).resolves.toHaveLength(1);
  });

  it("is refused with another body", async () => {
    const { post } = createClient();
    await post(undefined, "key");
    await expect(post("full", "key")).rejects.toMatchObject({ code: "idempotency_conflict" });
  });

  it("is one run for many concurrent requests", async () => {
    const { stage, post } = createClient();
    const answers = await Promise.all(Array.from({ length: 6 }, () => post(undefined, "key")));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    await expect(stage.list()).resolves.toHaveLength(1);
  });

  it("is started by the repetition if the first request crashed after it had reserved the key", async () => {
    const { stage, parts, post } = createClient();
    const { startRun } = parts;
    const died = Promise.withResolvers<void>();
    parts.startRun = () => {
      died.resolve();
      return new Promise(() => undefined);
    };
    void post(undefined, "key");
    await died.promise;
    parts.startRun = startRun;
    const run = await post(undefined, "key");
    await expect(stage.list()).resolves.toEqual([run]);
  });

  it("does not store a refusal under the key", async () => {
    const { state, post } = createClient();
    state.circuit = { ...newCircuit, state: "forced_open" };
    await expect(post(undefined, "key")).rejects.toMatchObject({ code: "circuit_open" });
    state.circuit = newCircuit;
    await expect(post("full", "key")).resolves.toMatchObject({ status: "running" });
    await expect(post(undefined, "another")).rejects.toMatchObject({ code: "sync_running" });
    await expect(post("full", "key")).resolves.toMatchObject({ status: "running" });
  });
});
