import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { type FaultBench, type Lane, startFaultBench } from "./lanes.ts";
import { itemsOf } from "./tables.ts";

let bench: FaultBench;
let lane: Lane;
beforeAll(async () => {
  bench = await startFaultBench();
  lane = await bench.lane();
});
afterAll(() => bench.stop());

it("runs deployed functions behind the proxy, with the rights of their roles", async () => {
  const token = await bench.mint({ organizationId: "acme", role: "admin", userId: "ada" });
  const empty = await lane.snapshot();
  lane.inject({ call: "dynamodb:PutItem:Plants#1", fault: "lost_reset", times: "once" });
  const create = () => lane.request("POST", "/plants", { token, body: { id: 1, name: "Monstera" } });
  await expect(create()).resolves.toMatchObject({ status: 200, body: { name: "Monstera" } });
  expect(lane.requests().map(({ operation, fault }) => [operation, fault])).toEqual([
    ["PutItem", "lost_reset"],
    ["PutItem", undefined],
  ]);
  await expect(create()).resolves.toMatchObject({ status: 409 });
  expect(itemsOf(await lane.snapshot(), "Plants")).toEqual([
    expect.objectContaining({ scope: "org:acme", name: "Monstera" }),
  ]);
  await lane.restore(empty);
  await expect(create()).resolves.toMatchObject({ status: 200 });
  expect(lane.denials).toEqual([]);
});

it("invokes the functions that a published event starts", async () => {
  const token = await bench.mint({ organizationId: "eve", role: "admin", userId: "eve" });
  const { apiKey } = await bench.control<{ apiKey: string }>("POST /provider/accounts", { objects: 4 });
  lane.inject(undefined);
  const body = { method: "api_key", apiKey };
  const connected = await lane.request("PUT", "/api/integrations/provider/connection", { token, body });
  expect(connected).toMatchObject({ status: 200, body: { status: "connected" } });
  const deliveries = lane.deliveries();
  expect(deliveries.map(({ name }) => name)).toEqual(["run-sync"]);
  for (const { name, payload } of deliveries) expect(await lane.invoke(name, payload)).toMatchObject({ ok: true });
  expect(lane.requests().map(({ service }) => service)).toContain("provider");
  const runs = await lane.request("GET", "/api/integrations/provider/sync", { token });
  expect(runs.body).toMatchObject([{ status: "succeeded" }]);
});
