/** Refunds, disputes and payouts over HTTP: synced, fed by events, and left out if the key may not read them. */
import { beforeAll, describe, expect, it } from "@jest/globals";
import { organizationOf } from "../support/integration.ts";
import { providerSdk } from "../support/provider-objects.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { useSharedService } from "../support/use-service.ts";

const service = await useSharedService();
const provider = simulatedProvider(service);

/** Makes a payment that succeeded, with the provider's SDK. */
const pay = (apiKey: string, amount: number) =>
  providerSdk(service, apiKey).paymentIntents.create({ amount, currency: "eur", confirm: true });

describe("refunds, disputes and payouts", () => {
  const ours = organizationOf(service, "money-records");
  let account: { accountId: string; apiKey: string };
  let payment: string;
  const change = (action: string, more: object = {}) => provider.change(account.accountId, { action, ...more });

  beforeAll(async () => {
    account = await provider.account(20, { seed: "money" });
    payment = (await pay(account.apiKey, 5_000)).id;
    await change("refund", { id: payment, amount: 1_200 });
    await change("dispute", { id: payment });
    await change("create_payout", { amount: 70_000 });
    await ours.connect(account.apiKey);
    expect(await ours.lastRun()).toMatchObject({ status: "succeeded", mode: "full" });
  });

  it("are synced with their fields, compared, and the same as the provider's", async () => {
    const sdk = providerSdk(service, account.apiKey);
    const lists = [
      ["refunds", await sdk.refunds.list({ limit: 100 })],
      ["disputes", await sdk.disputes.list({ limit: 100 })],
      ["payouts", await sdk.payouts.list({ limit: 100 })],
    ] as const;
    const run = await ours.lastRun();
    for (const [type, { data }] of lists) {
      const records = await ours.records(type);
      expect(new Set(records.map(({ id }) => id))).toEqual(new Set(data.map(({ id }) => id)));
      expect(run.progress[type]?.written).toBe(data.length);
      expect(run.completeness?.[type]).toMatchObject({ listed: data.length, onlyListed: [], onlyStored: [] });
    }
    const head = { deleted: false, createdAt: expect.any(Number), updatedAt: expect.any(Number) };
    expect((await ours.records("refunds")).find(({ paymentId }) => paymentId === payment)).toEqual({
      id: expect.stringMatching(/^re_/),
      type: "refunds",
      ...head,
      amount: 1_200,
      currency: "eur",
      status: "succeeded",
      reason: "requested_by_customer",
      paymentId: payment,
      failureReason: null,
    });
    expect((await ours.records("disputes")).find(({ paymentId }) => paymentId === payment)).toEqual({
      id: expect.stringMatching(/^du_/),
      type: "disputes",
      ...head,
      amount: 5_000,
      currency: "eur",
      status: "needs_response",
      reason: "fraudulent",
      paymentId: payment,
      evidenceDueAt: expect.any(Number),
    });
    expect(await ours.records("payouts")).toEqual([
      {
        id: expect.stringMatching(/^po_/),
        type: "payouts",
        ...head,
        amount: 70_000,
        currency: "eur",
        status: "in_transit",
        method: "standard",
        arrivesAt: expect.any(Number),
        failureCode: null,
        automatic: true,
      },
    ]);
  });

  it("are listed by their payment", async () => {
    for (const [type, amount] of [
      ["refunds", 1_200],
      ["disputes", 5_000],
    ]) {
      const all = await ours.records(`${type}`);
      const ofPayment = all.filter(({ paymentId }) => paymentId === payment);
      expect(ofPayment).toHaveLength(1);
      expect(await ours.records(`${type}`, `paymentId=${payment}`)).toEqual(ofPayment);
      expect(await ours.records(`${type}`, `paymentId=${payment}&maxAmount=${Number(amount) - 1}`)).toEqual([]);
      expect(await ours.records(`${type}`, "paymentId=pi_unknown")).toEqual([]);
    }
  });

  it("follow the provider's events", async () => {
    await change("fail_payout", { failureCode: "account_closed" });
    await change("close_dispute");
    await change("fail_refund");
    await ours.sync();
    expect(await ours.records("payouts")).toMatchObject([{ status: "failed", failureCode: "account_closed" }]);
    expect((await ours.records("disputes")).map(({ status }) => status)).not.toContain("needs_response");
    expect(
      (await ours.records("refunds")).some(({ status, failureReason }) => status === "failed" && failureReason),
    ).toBe(true);
  });

  it("are not readable by members and guests until the settings name them", async () => {
    const status = async (role: string) => (await ours.call("GET", "records/refunds", undefined, { role })).status;
    expect([await status("billing"), await status("member"), await status("guest")]).toEqual([200, 403, 403]);
    const recordAccess = { member: ["refunds"], guest: [] };
    expect((await ours.call("PUT", "settings", { recordAccess })).status).toBe(200);
    expect([await status("member"), await status("guest")]).toEqual([200, 403]);
  });
});

describe("a key that may not read them", () => {
  const ours = organizationOf(service, "money-missing");
  const connection = async () => (await ours.call("GET", "connection")).body as Record<string, unknown>;

  it("syncs the others, names the permission, raises no alert, and is read once it may be", async () => {
    const { accountId, apiKey } = await provider.account(20, { seed: "missing" });
    await pay(apiKey, 900);
    const refund = (await provider.change(accountId, { action: "refund" })).objects.find(({ id }) =>
      id.startsWith("re_"),
    );
    const faults = [
      await provider.fail(accountId, { kind: "error", status: 403, pathPrefix: "/v1/refunds" }),
      await provider.fail(accountId, { kind: "error", status: 403, pathPrefix: "/v1/payouts" }),
    ];
    await ours.connect(apiKey);
    expect(await ours.lastRun()).toMatchObject({ status: "succeeded", notRead: ["refunds", "payouts"] });
    expect((await ours.records("payments")).length).toBeGreaterThan(0);
    const { missing, webhookSetup } = await connection();
    expect(missing).toEqual({ permissions: ["rak_charge_read", "rak_payout_read"], eventTypes: [] });
    const { keyPermissions } = webhookSetup as { keyPermissions: { name: string; access: string }[] };
    expect(keyPermissions.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["rak_charge_read", "rak_dispute_read", "rak_payout_read"]),
    );
    expect((await ours.call("GET", "security/alert")).body).toEqual([]);
    const refused = (await ours.events("success=false")).map(({ action, riskLevel }) => [action, riskLevel]);
    expect(refused.sort()).toEqual([
      ["list_payouts", "LOW"],
      ["list_refunds", "LOW"],
    ]);

    await Promise.all(faults.map(provider.recover));
    expect(await ours.sync()).toMatchObject({ mode: "incremental", notRead: ["refunds", "payouts"] });
    await ours.connect(apiKey);
    const read = await ours.lastRun();
    expect(read).toMatchObject({ status: "succeeded" });
    expect(read).not.toHaveProperty("notRead");
    expect((await ours.records("refunds")).map(({ id }) => id)).toContain(refund?.id);
    expect((await connection()).missing).toEqual({ permissions: [], eventTypes: [] });
  });
});
