/** GET …/money over HTTP: counted from the feed and from webhooks alike. */
import { beforeAll, describe, expect, it } from "@jest/globals";
import { deepIt } from "../support/deep-it.ts";
import { eventually, organizationOf } from "../support/integration.ts";
import { providerSdk } from "../support/provider-objects.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { useSharedService } from "../support/use-service.ts";

const service = await useSharedService();
const provider = simulatedProvider(service);
const SECRET = "whsec_of_money";

type Row = Record<string, unknown> & { day: string; payments: object; disputes: number };

const zeros = {
  payments: { succeeded: 0, failed: 0 },
  refunds: { count: 0, amounts: {} },
  disputes: 0,
  warnings: 0,
  payouts: 0,
  expected: { failed: null, refunds: null },
};

/** Two payments that succeed, one that fails, and one of each other count. The first of it is before the connect. */
const trade = async ({ accountId, apiKey }: { accountId: string; apiKey: string }): Promise<void> => {
  const { paymentIntents, refunds } = providerSdk(service, apiKey);
  const common = { amount: 1_500, currency: "eur", confirm: true } as const;
  const paid = await paymentIntents.create(common);
  await paymentIntents.create(common);
  await paymentIntents.create({ ...common, payment_method: "pm_card_visa_chargeDeclined" }).catch(() => undefined);
  await refunds.create({ payment_intent: paid.id, amount: 400 });
  for (const action of ["dispute", "early_fraud_warning"]) await provider.change(accountId, { action, id: paid.id });
  await provider.change(accountId, { action: "create_payout" });
};

const traded = {
  ...zeros,
  payments: { succeeded: 2, failed: 1 },
  refunds: { count: 1, amounts: { eur: 400 } },
  disputes: 1,
  warnings: 1,
  payouts: 1,
};

/** The sum of the rows: a test may run around midnight. */
const newest = (rows: readonly Row[]): Row | undefined => rows.find(({ disputes }) => disputes > 0) ?? rows[0];

describe("the money of an organization", () => {
  const ours = organizationOf(service, "money");
  let account: { accountId: string; apiKey: string };
  const money = async (query = "days=2") => (await ours.call("GET", `money?${query}`)).body as Row[];

  beforeAll(async () => {
    account = await provider.account(20, { seed: "counted" });
    await trade(account);
    await ours.connect(account.apiKey);
    await ours.lastRun();
  });

  it("has a row for each day, and counts nothing from before the connect", async () => {
    const rows = await money("days=90");
    expect(rows).toHaveLength(90);
    expect(rows[0]?.day).toBe(new Date(Date.now()).toISOString().slice(0, 10));
    expect(await money("")).toHaveLength(30);
    for (const { day: _, ...row } of rows) expect(row).toEqual(zeros);
  });

  it("is counted from the feed, once, and not by full runs", async () => {
    await trade(account);
    await ours.sync();
    expect(newest(await money())).toMatchObject(traded);
    await ours.sync({ mode: "full" });
    await ours.sync();
    expect(newest(await money())).toMatchObject(traded);
  });

  it.each(["days=0", "days=91", "days=1.5", "days=", "days=1&days=2", "limit=5"])("refuses %s", async (query) => {
    expect((await ours.call("GET", `money?${query}`)).status).toBe(400);
  });

  it("needs the permission to read payments, and is the organization's own", async () => {
    const as = async (role: string) => (await ours.call("GET", "money", undefined, { role })).status;
    expect([await as("billing"), await as("member"), await as("guest")]).toEqual([200, 403, 403]);
    await ours.call("PUT", "settings", { recordAccess: { member: ["payments"], guest: ["refunds"] } });
    expect([await as("member"), await as("guest")]).toEqual([200, 403]);
    const others = organizationOf(service, "money-of-others");
    expect(newest((await others.call("GET", "money")).body as Row[])).toMatchObject(zeros);
  });
});

describe("the money of an organization with webhooks", () => {
  deepIt("is counted from webhooks and the feed alike, each event once", async () => {
    const ours = organizationOf(service, "money-webhooks");
    const account = await provider.account(20, { seed: "hooked" });
    await ours.connect(account.apiKey, { webhookSecret: SECRET });
    await ours.lastRun();
    const { webhookUrl } = (await ours.call("GET", "connection")).body as { webhookUrl: string };
    await provider.webhooks(account.accountId, { url: webhookUrl, secret: SECRET, duplicate: 0.5 });
    await trade(account);
    const counts = async () => newest((await ours.call("GET", "money?days=2")).body as Row[]);
    await eventually("the webhooks are counted", async () => {
      const row = await counts();
      return row?.payouts === 1 && (row.payments as { succeeded: number }).succeeded === 2;
    });
    await ours.sync();
    expect(await counts()).toMatchObject(traded);
  });
});
