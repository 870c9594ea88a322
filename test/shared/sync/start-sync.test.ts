import { describe, expect, it } from "@jest/globals";
import { type Circuit, newCircuit } from "../../../shared/circuit-breaker/circuit.ts";
import type { StoredConnection } from "../../../shared/connection/connection-item.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import { createStartRun } from "../../../shared/sync/start-run.ts";
import { createStartSync, type StartSyncDependencies } from "../../../shared/sync/start-sync.ts";
import { createSyncRunStore } from "../../../shared/sync/sync-run-store.ts";
import type { RequestIdentity } from "../../../shared/terms/idempotency-key.ts";
import { startLossyProxy } from "../../support/lossy-proxy.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { identityAt, keyedIdentity } from "../../support/request-identity.ts";
import { usePerFile } from "../../support/use-started.ts";
import { createStage, NOW, RUNS, useSyncEngine } from "./stage.ts";

quietLog();

const engine = useSyncEngine();
const proxy = usePerFile(() => startLossyProxy(engine.endpoint));

const connected: StoredConnection = {
  status: "connected",
  connectionId: "connection",
  method: "api_key",
  accountId: "acct_1",
  connectedAt: NOW,
  credentials: new Uint8Array(),
  credentialsVersion: "1",
};
const broken: StoredConnection = {
  status: "needs_reconnect",
  connectionId: "connection",
  method: "oauth",
  accountId: "acct_1",
  connectedAt: NOW,
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
    clock: stage.clock,
  };
  const post = (
    mode?: "full" | "incremental",
    { identity = identityAt(stage.time.now), userId = "ada" }: { identity?: RequestIdentity; userId?: string } = {},
  ) =>
    createStartSync(parts)(mode === undefined ? undefined : { mode }, {
      caller: { organizationId, userId, sessionId: "session" },
      origin: { requestId: "request", ipAddress: "192.0.2.7", userAgent: "curl" },
      identity,
    });
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
    await expect(post(undefined, { userId: "bob" })).rejects.toMatchObject({ code: "sync_running" });
    expect(stage.published).toEqual([]);
    stage.time.now += 60_001;
    await expect(post()).rejects.toMatchObject({ code: "sync_running" });
    expect(stage.published).toMatchObject([{ detail: { runId: first.id } }]);
    await stage.deliverAll();
    await expect(stage.list()).resolves.toMatchObject([{ id: first.id, status: "succeeded" }]);
  });

  it("is refused until another worker has recorded and closed a run that a crashed worker decided", async () => {
    const { stage, post } = createClient();
    const first = await post();
    const error = { category: "network", message: "The provider could not be reached." } as const;
    await stage.ends.decide(stage.organizationId, { ...first, status: "failed", finishedAt: NOW, error });
    stage.time.now += 60_001;
    await expect(post()).rejects.toMatchObject({ code: "sync_running" });
    await stage.deliverAll();
    expect(stage.recordedActions()).toContain("PROVIDER_SYNC_FAILED sync_full");
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

describe("a run on demand that is requested again", () => {
  it("within a minute by the same user is the same run, with a worker", async () => {
    const { stage, post } = createClient();
    const first = await post();
    stage.published.length = 0;
    stage.time.now += 60_000;
    await expect(post()).resolves.toEqual(first);
    expect(stage.published).toMatchObject([{ detail: { runId: first.id } }]);
    await expect(stage.list()).resolves.toHaveLength(1);
    stage.time.now += 1;
    await expect(post()).rejects.toMatchObject({ code: "sync_running" });
  });

  it("is the same run if the run has opened the circuit", async () => {
    const { stage, state, post } = createClient();
    const first = await post();
    const { first: keyed, repeated } = keyedIdentity(NOW);
    state.circuit = { ...newCircuit, state: "open", until: NOW + 12_300 };
    await expect(post()).resolves.toEqual(first);
    await expect(post(undefined, { userId: "bob" })).rejects.toMatchObject({ code: "circuit_open" });
    state.circuit = newCircuit;
    await stage.deliverAll();
    const run = await post(undefined, { identity: keyed });
    state.circuit = { ...newCircuit, state: "open", until: NOW + 12_300 };
    await expect(post(undefined, { identity: repeated })).resolves.toEqual(run);
  });

  it("at the same moment is the run that began first, even if that has ended when the loser looks", async () => {
    const { stage, parts, post } = createClient();
    const winners: unknown[] = [];
    /** Another request of the user begins before this one's write, and its run ends right after it. */
    const lose = async (mode?: "full", userId?: string) => {
      const start: typeof stage.runs.start = async (organizationId, run) => {
        parts.startRun = stage.startRun;
        winners.push(await post());
        return stage.runs.start(organizationId, run).finally(() => stage.deliverAll());
      };
      parts.startRun = createStartRun({ ...stage, runs: { ...stage.runs, start } });
      return post(mode, userId === undefined ? {} : { userId });
    };
    // The organization's first run, then one after it.
    for (const mode of ["full", "incremental"]) {
      const answer = await lose();
      expect(answer).toMatchObject({ mode, status: "running" });
      expect(answer).toEqual(winners.at(-1));
    }
    await expect(lose("full")).rejects.toMatchObject({ code: "sync_running" });
    await expect(lose(undefined, "bob")).rejects.toMatchObject({ code: "sync_running" });
    await expect(stage.list()).resolves.toMatchObject(Array(4).fill({ status: "succeeded" }));
  });

  it("begins no second time if the run ends while it is answered again", async () => {
    const { stage, parts, post } = createClient();
    const run = await post();
    parts.startRun = async (wanted, state) => {
      if (wanted.id === run.id) await stage.deliverAll();
      return stage.startRun(wanted, state);
    };
    await expect(post()).resolves.toEqual(run);
    await expect(stage.list()).resolves.toMatchObject([{ id: run.id, status: "succeeded" }]);
  });

  it("is refused with another mode, with a key, or if its run has one", async () => {
    const { stage, post } = createClient();
    await post();
    await stage.deliverAll();
    const { first } = keyedIdentity(stage.time.now);
    await post();
    await expect(post("full")).rejects.toMatchObject({ code: "sync_running" });
    await expect(post(undefined, { identity: first })).rejects.toMatchObject({ code: "sync_running" });
    await stage.deliverAll();
    await post(undefined, { identity: first });
    await expect(post()).rejects.toMatchObject({ code: "sync_running" });
  });

  it("is one run if the store did the work of the first request and its last answers were lost", async () => {
    const { stage, parts, post } = createClient();
    // Without retries, the first answer to each call is lost, after the store has done the work.
    const lossy = createSyncRunStore(createTable(engine.clientAt(proxy.url, 1), RUNS));
    parts.startRun = createStartRun({ ...stage, runs: { ...stage.runs, start: lossy.start } });
    await expect(post()).rejects.toMatchObject({ code: "store_unavailable" });
    parts.startRun = stage.startRun;
    const [run] = await stage.list();
    await expect(post(undefined, { userId: "bob" })).rejects.toMatchObject({ code: "sync_running" });
    await expect(post()).resolves.toEqual(run);
    expect(stage.published).toMatchObject([{ detail: { runId: run?.id } }]);
  });
});

describe("a run on demand with an Idempotency-Key", () => {
  it("is the same run for each attempt, even if the run has ended", async () => {
    const { stage, state, post } = createClient();
    const { first, repeated } = keyedIdentity(NOW);
    const run = await post(undefined, { identity: first });
    await expect(post(undefined, { identity: repeated })).resolves.toEqual(run);
    await stage.deliverAll();
    state.circuit = { ...newCircuit, state: "forced_open" };
    stage.time.now += 86_399_999;
    await expect(post(undefined, { identity: repeated })).resolves.toEqual(run);
    await expect(stage.list()).resolves.toHaveLength(1);
  });

  it("is one run for many concurrent attempts", async () => {
    const { stage, post } = createClient();
    const { first, repeated } = keyedIdentity(NOW);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => post(undefined, { identity: i === 0 ? first : repeated })),
    );
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    await expect(stage.list()).resolves.toHaveLength(1);
  });

  it("is started by the next attempt if the first one crashed before it started the run", async () => {
    const { stage, parts, post } = createClient();
    const { startRun } = parts;
    const { first, repeated } = keyedIdentity(NOW);
    const died = Promise.withResolvers<void>();
    parts.startRun = () => {
      died.resolve();
      return new Promise(() => undefined);
    };
    void post(undefined, { identity: first });
    await died.promise;
    parts.startRun = startRun;
    const run = await post(undefined, { identity: repeated });
    await expect(stage.list()).resolves.toEqual([run]);
  });
});
