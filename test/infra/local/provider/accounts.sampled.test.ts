import { describe, expect, it } from "@jest/globals";
import { deepIt } from "../../../support/deep-it.ts";
import { usePerFile } from "../../../support/use-started.ts";
import { createFixture } from "./simulator-fixture.ts";

const fixture = usePerFile(createFixture);

type Made = { accountId: string; apiKey: string };
const create = (body: Record<string, unknown>, where = fixture) => where.request<Made>("POST /provider/accounts", body);
const LISTS = ["customers", "subscriptions", "invoices", "paymentIntents"] as const;
const readAll = async (key: string, where = fixture) => {
  const found: { id: string; created: number }[] = [];
  for (const list of LISTS) {
    const parameters = list === "subscriptions" ? { status: "all" as const, limit: 100 } : { limit: 100 };
    for await (const one of where.sdk(key)[list].list(parameters)) found.push(one);
  }
  return found;
};

describe("an account on demand", () => {
  it.each([1, 2, 17, 500])("has exactly %d objects that a sync reads", async (objects) => {
    const { apiKey, accountId } = await create({ objects });
    const found = await readAll(apiKey);
    expect(found).toHaveLength(objects);
    expect(new Set(found.map(({ id }) => id)).size).toBe(objects);
    expect((await fixture.sdk(apiKey).accounts.retrieveCurrent()).id).toBe(accountId);
  });

  it("accepts a number as its seed, as changes and faults do", async () => {
    expect(await readAll((await create({ objects: 3, seed: 7 })).apiKey)).toHaveLength(3);
  });

  it("is the same for the same seed, and differs for other seeds", async () => {
    const other = await createFixture();
    try {
      const [here, there] = [
        await create({ objects: 200, seed: "x" }),
        await create({ objects: 200, seed: "x" }, other),
      ];
      const twin = (await readAll(there.apiKey, other)).map(({ created }) => created);
      const own = (await readAll(here.apiKey)).map(({ created }) => created);
      expect(own).toHaveLength(twin.length);
      const again = await create({ objects: 200, seed: "x" }, other);
      expect(again.accountId).not.toBe(there.accountId);
      const third = await createFixture();
      try {
        const same = await create({ objects: 200, seed: "x" }, third);
        expect(same).toEqual(there);
        expect(await readAll(same.apiKey, third)).toEqual(await readAll(there.apiKey, other));
      } finally {
        await third.stop();
      }
    } finally {
      await other.stop();
    }
  });

  it("has events of the simulator's API version, as far back as requested", async () => {
    const { apiKey } = await create({ objects: 300, eventDays: 10 });
    const events = await fixture.sdk(apiKey).events.list({ limit: 100 });
    expect(events.data.length).toBeGreaterThan(10);
    expect(new Set(events.data.map(({ api_version: version }) => version))).toEqual(new Set(["2026-10-28.endive"]));
    expect(events.data.every(({ created }) => created >= fixture.nowSeconds() - 10 * 86_400)).toBe(true);
    const without = await create({ objects: 300, eventDays: 0 });
    expect(
      (await fixture.sdk(without.apiKey).events.list()).data.every(({ created }) => created >= fixture.nowSeconds()),
    ).toBe(true);
  });

  deepIt("can be large, and is listed completely while it changes", async () => {
    const { apiKey, accountId } = await create({ objects: 20_000 });
    const sdk = fixture.sdk(apiKey);
    const ids: string[] = [];
    for await (const { id } of sdk.invoices.list({ limit: 100 })) {
      if (ids.length % 1_000 === 0)
        await fixture.request("POST /provider/changes", { accountId, count: 5, seed: ids.length });
      ids.push(id);
    }
    expect(new Set(ids).size).toBe(ids.length);
    const shown = await fixture.request<{ accounts: { accountId: string; objects: { invoice: number } }[] }>(
      "GET /provider",
    );
    const { invoice = 0 } = shown.accounts.find((one) => one.accountId === accountId)?.objects ?? {};
    expect(ids.length).toBeGreaterThan(8_000);
    expect(Math.abs(invoice - ids.length)).toBeLessThan(60);
  });

  it("has the claims of each charge that are wanted, and no more objects of the other types", async () => {
    const claims = { refundsPerCharge: 3, disputesPerCharge: 2 };
    const { accountId, apiKey } = await create({ objects: 100, claims });
    expect(await readAll(apiKey)).toHaveLength(100);
    type Shown = { accounts: { accountId: string; objects: Record<string, number> }[] };
    const { accounts } = await fixture.request<Shown>("GET /provider");
    const { refund = 0, dispute = 0 } = accounts.find((one) => one.accountId === accountId)?.objects ?? {};
    const sdk = fixture.sdk(apiKey);
    let succeeded = 0;
    let whole = 0;
    for await (const charge of sdk.charges.list({ limit: 100 })) {
      if (charge.status !== "succeeded") continue;
      succeeded++;
      if (charge.refunded) whole++;
      const { data } = await sdk.refunds.list({ charge: charge.id, limit: 100 });
      expect(charge.amount_refunded).toBe(data.reduce((sum, { amount }) => sum + amount, 0));
    }
    expect(succeeded - whole).toBeGreaterThan(20);
    // The history itself has a few of each.
    expect(refund).toBeGreaterThanOrEqual((succeeded - whole) * 3);
    expect(dispute).toBeGreaterThanOrEqual((succeeded - whole) * 2);
  });

  it("is kept over a restart", async () => {
    const { apiKey } = await create({ objects: 50 });
    await fixture.restart();
    expect(await readAll(apiKey)).toHaveLength(50);
  });

  it("is validated by a schema", async () => {
    const asked = async (body: unknown) => (await fixture.control("POST /provider/accounts", body)).status;
    for (const body of [
      {},
      { objects: 0 },
      { objects: 1_000_001 },
      { objects: 1, apiVersion: "2024-06-20" },
      { objects: 1, x: 1 },
    ])
      expect(await asked(body)).toBe(400);
  });
});
