/** The breaker behind a network that loses answers, and with a store that does not answer. */
import { createServer, type Server } from "node:http";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { listen } from "../../../infra/local/http/listen.ts";
import { STORE_PAUSE_MS } from "../../../shared/circuit-breaker/circuit-access.ts";
import { FLUSH_PAUSE_MS } from "../../../shared/circuit-breaker/request-counter.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { useEngine } from "../../support/use-table.ts";
import { createInstance, fail, type Instance, start, succeed, type TestClock, testClock } from "./instance.ts";

quietLog();

const database = useEngine("circuits");
/** How the network treats a request: it forwards it, loses the answer, loses the request, or never answers. */
let behaviour: (body: string, isRepeat: boolean) => "pass" | "lose answer" | "lose request" | "hang";
let proxy: Server;
let endpoint = "";
let reads = 0;

beforeAll(async () => {
  const seen = new Set<string>();
  proxy = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const target = String(request.headers["x-amz-target"]);
    const isRepeat = seen.has(body.toString());
    seen.add(body.toString());
    if (target.endsWith("GetItem")) reads++;
    const fate = target.endsWith("GetItem") && behaviour !== silence ? "pass" : behaviour(body.toString(), isRepeat);
    if (fate === "hang") return;
    if (fate === "lose request") return void request.socket.destroy();
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    delete headers.host;
    delete headers["content-length"];
    const answer = await fetch(database.endpoint, { method: "POST", headers, body });
    const text = await answer.text();
    if (fate === "lose answer") return void request.socket.destroy();
    response.writeHead(answer.status, { "content-type": "application/x-amz-json-1.0" }).end(text);
  });
  ({ url: endpoint } = await listen(proxy, 0));
});
afterAll(() => {
  proxy.closeAllConnections();
  proxy.close();
});

const silence = () => "hang" as const;

const behindProxy = {
  documentClient: (translation = {}) => DynamoDBDocumentClient.from(database.client({ endpoint }), translation),
};

let time: TestClock;
let instance: Instance;
let direct: Instance;
let org = "";
let organizations = 0;
beforeEach(() => {
  time = testClock();
  org = `organization ${++organizations}`;
  behaviour = () => "pass";
  instance = createInstance(behindProxy, time.clock, { isPatient: false });
  direct = createInstance(database, time.clock);
});
afterEach(() => instance.guard.flush());

const failTimes = async (count: number, { guard }: Instance = instance) => {
  for (let i = 0; i < count; i++) await expect(guard(org, fail)).rejects.toThrow("The provider failed.");
};
const isRefused = ({ guard }: Instance = instance) =>
  guard(org, succeed).then(
    () => false,
    () => true,
  );

describe.each(["lose answer", "lose request"] as const)("a network that can %s at every write", (fate) => {
  beforeEach(() => {
    // Every answer comes in the end, so a slow machine must not make the instance decide by itself.
    instance = createInstance(behindProxy, time.clock);
    behaviour = (_body, isRepeat) => (isRepeat ? "pass" : fate);
  });

  it("counts each failure once", async () => {
    await failTimes(4);
    await expect(direct.store.read(org)).resolves.toMatchObject({ state: "closed", failures: { length: 4 } });
    await failTimes(1);
    await expect(direct.store.read(org)).resolves.toMatchObject({ state: "open", generation: 1 });
  });

  it("takes one permit per probe and counts each success once", async () => {
    await failTimes(5, direct);
    time.pass(30_000);
    await instance.guard(org, succeed);
    const halfOpen = await direct.store.read(org);
    expect(halfOpen).toMatchObject({ state: "half_open", successes: 1, generation: 2 });
    expect(Object.keys("permits" in halfOpen ? halfOpen.permits : {})).toHaveLength(1);
    await instance.guard(org, succeed);
    await expect(direct.store.read(org)).resolves.toMatchObject({ state: "closed", generation: 3 });
  });

  it("applies an operator's action once and each addition of counts once", async () => {
    await instance.operator.operate(org, { action: "force_close", by: "alice" });
    await expect(direct.store.read(org)).resolves.toMatchObject({ state: "forced_closed", generation: 1 });
    await failTimes(3);
    await instance.guard.flush();
    time.pass(FLUSH_PAUSE_MS);
    await instance.guard.flush();
    await expect(direct.statisticsStore.organizationCounts(org)).resolves.toMatchObject({ total: 3, failed: 3 });
  });
});

describe("a store that does not answer", () => {
  it("the instance admits calls and opens its own circuit at the 5th failure", async () => {
    behaviour = silence;
    await expect(instance.guard(org, succeed)).resolves.toBe("done");
    await failTimes(5);
    await expect(instance.guard(org, succeed)).rejects.toMatchObject({ code: "circuit_open", retryAt: start + 30_000 });
  });

  it("one call in 5 s tries the store; the others do not wait", async () => {
    behaviour = silence;
    const before = reads;
    for (let i = 0; i < 20; i++) await instance.guard(org, succeed);
    const paid = reads - before;
    for (let i = 0; i < 20; i++) await instance.guard(org, succeed);
    expect(reads - before).toBe(paid);
    time.pass(STORE_PAUSE_MS);
    await Promise.all(Array.from({ length: 20 }, () => instance.guard(org, succeed)));
    expect(reads - before).toBe(paid + paid);
  });

  it("an open circuit stays open until its time, and a held one stays held", async () => {
    await failTimes(5);
    expect(await isRefused()).toBe(true);
    behaviour = silence;
    time.pass(29_999);
    expect(await isRefused()).toBe(true);
    time.pass(1);
    expect(await isRefused()).toBe(false);
    const held = createInstance(database, time.clock);
    await held.operator.operate(`${org} held`, { action: "force_open", by: "alice" });
    behaviour = () => "pass";
    time.pass(STORE_PAUSE_MS);
    await expect(instance.guard(`${org} held`, succeed)).rejects.toMatchObject({ code: "circuit_open" });
    behaviour = silence;
    time.pass(1_000_000);
    await expect(instance.guard(`${org} held`, succeed)).rejects.toMatchObject({ code: "circuit_open" });
  });

  it("the instance's own circuit recovers with three probes and two successes", async () => {
    behaviour = silence;
    await failTimes(5);
    time.pass(30_000);
    await instance.guard(org, succeed);
    await instance.guard(org, succeed);
    await failTimes(4);
    expect(await isRefused()).toBe(false);
    await failTimes(1);
    expect(await isRefused()).toBe(true);
  });

  it("the stored circuit applies again as soon as the store answers", async () => {
    behaviour = silence;
    await failTimes(5);
    expect(await isRefused()).toBe(true);
    behaviour = () => "pass";
    time.pass(STORE_PAUSE_MS);
    expect(await isRefused()).toBe(false);
    await expect(direct.store.read(org)).resolves.toMatchObject({ state: "closed", generation: 0 });
    await failTimes(5);
    await expect(direct.store.read(org)).resolves.toMatchObject({ state: "open", generation: 1 });
  });

  it("counts wait in the instance", async () => {
    await instance.guard(org, succeed);
    behaviour = silence;
    await instance.guard.flush();
    behaviour = () => "pass";
    time.pass(FLUSH_PAUSE_MS);
    await instance.guard.flush();
    await expect(direct.statisticsStore.organizationCounts(org)).resolves.toMatchObject({ total: 1 });
  });
});
