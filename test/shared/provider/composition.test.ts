/** Operations with the real adapter, guard and stores, over sockets. */

import { beforeEach, describe, expect, it } from "@jest/globals";
import { createProviderAccess } from "../../../shared/provider/create-provider-access.ts";
import { createRateStore } from "../../../shared/provider/rate-store.ts";
import { createReadCountStore, createReadCounts } from "../../../shared/provider/read-count-store.ts";
import { createStripeAdapter } from "../../../shared/provider/stripe/adapter.ts";
import { newRequestToken } from "../../../shared/runtime/ids.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import type { NewSecurityEvent } from "../../../shared/security/security-event.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { usePerFile } from "../../support/use-started.ts";
import { useEngine } from "../../support/use-table.ts";
import { createInstance, testClock } from "../circuit-breaker/instance.ts";
import { json, list, refusal, reset, startWireServer } from "./stripe/wire-server.ts";

quietLog();

const database = useEngine("circuits", "syncRuns");
const server = usePerFile(startWireServer);

let time = testClock();
let organizations = 0;
let organizationId = "";
beforeEach(() => {
  time = testClock();
  organizationId = `organization ${++organizations}`;
});

const createFunction = (refused: (secret: string) => Promise<string | undefined> = async () => undefined) => {
  const instance = createInstance(database, time.clock);
  const events: NewSecurityEvent[] = [];
  const store = createReadCountStore(createTable(database.documentClient(), "syncRuns"));
  const access = createProviderAccess({
    adapter: createStripeAdapter({ url: server.url, clock: time.clock }),
    guard: instance.guard,
    recorder: {
      record: async (event) => {
        events.push(event);
        return undefined;
      },
    },
    rate: createRateStore(createTable(database.documentClient(), "syncRuns")),
    reads: createReadCounts({ store, clock: time.clock, newToken: newRequestToken }),
    clock: time.clock,
    sleep: async (ms) => time.pass(ms),
  });
  const provider = access.open({ current: async () => "sk_1", refused }, { organizationId, source: "system" });
  return { ...instance, access, provider, events, store };
};

describe("operations of a function", () => {
  it("open the circuit by their attempts, fail at once while it is open, and close it", async () => {
    const { provider, access, events, store, reader } = createFunction();
    server.answers(reset);
    await expect(provider.listEvents({})).rejects.toMatchObject({ kind: "network" });
    // The second attempt is the fifth failure; the circuit refuses the third.
    await expect(provider.listEvents({})).rejects.toMatchObject({ code: "circuit_open" });
    expect(server.arrived).toHaveLength(5);
    await expect(provider.listEvents({})).rejects.toMatchObject({ code: "circuit_open" });
    expect(server.arrived).toHaveLength(5);
    await access.flush();
    expect(events.map(({ errorCode, metadata }) => [errorCode, metadata?.attempts])).toEqual([
      ["ECONNRESET", 3],
      ["ECONNRESET", 2],
      ["circuit_open", 0],
    ]);
    await expect(store.read(organizationId, "2023-11")).resolves.toBe(5);
    await expect(reader.readOrganization(organizationId)).resolves.toMatchObject({ state: "open", failedRequests: 5 });

    time.pass(30_000);
    server.answers(list([]));
    await provider.listEvents({});
    await provider.listEvents({});
    await expect(reader.readOrganization(organizationId)).resolves.toMatchObject({ state: "closed" });
  });

  it("do not open the circuit by invalid requests, locks, or secrets that were replaced", async () => {
    const { provider, access, reader } = createFunction(async () => "sk_2");
    server.answers((response, arrived) => {
      const isOld = arrived.headers.authorization === "Bearer sk_1";
      (isOld ? refusal(401, { type: "invalid_request_error" }) : json(200, { id: "acct_1" }))(response, arrived);
    });
    for (let i = 0; i < 6; i++) await expect(provider.readAccount()).resolves.toEqual({ accountId: "acct_1" });
    for (const answer of [refusal(403, {}), refusal(400, {}), refusal(429, { code: "lock_timeout" })]) {
      server.answers(answer);
      for (let i = 0; i < 3; i++) await expect(provider.listEvents({})).rejects.toThrow("The provider answered");
    }
    await access.flush();
    await expect(reader.readOrganization(organizationId)).resolves.toMatchObject({
      state: "closed",
      failedRequests: 0,
    });
  });

  it("open the circuit by rejections of the connection's credentials", async () => {
    const { provider, events, reader } = createFunction();
    server.answers(refusal(401, { type: "invalid_request_error", message: "Invalid API Key provided: sk_1" }));
    for (let i = 0; i < 5; i++) await expect(provider.listEvents({})).rejects.toMatchObject({ status: 401 });
    await expect(provider.listEvents({})).rejects.toMatchObject({ code: "circuit_open" });
    expect(server.arrived).toHaveLength(5);
    expect(events.map(({ eventType }) => eventType)).toEqual([
      ...Array(5).fill("AUTHENTICATION_FAILURE"),
      "PROVIDER_REQUEST",
    ]);
    await expect(reader.readOrganization(organizationId)).resolves.toMatchObject({ state: "open" });
  });
});
