import { beforeEach, describe, expect, it } from "@jest/globals";
import type { Provider } from "../../../../shared/provider/provider.ts";
import { createStripeAdapter } from "../../../../shared/provider/stripe/adapter.ts";
import type { ObjectDeleted, ObjectState } from "../../../../shared/records/observation.ts";
import { recordTypes } from "../../../../shared/records/record.ts";
import { sampleOf } from "../../../support/depth.ts";
import { usePerTest } from "../../../support/use-started.ts";
import { createFixture } from "./simulator-fixture.ts";

const ACCOUNTS = [
  ["acct_1LocalBrightBikes", "sk_test_local_bright_bikes"],
  ["acct_1LocalNordlicht", "sk_test_local_nordlicht"],
  ["acct_1LocalKumoTea", "sk_test_local_kumo_tea"],
] as const;
const NAMES = {
  customers: "customer",
  subscriptions: "subscription",
  invoices: "invoice",
  payments: "payment_intent",
  refunds: "refund",
  disputes: "dispute",
  payouts: "payout",
};

const fixture = usePerTest(createFixture);

const adapterFor = (secret: string) =>
  createStripeAdapter({ url: fixture.simulator.url, clock: fixture.now }).at({
    secret,
    signal: AbortSignal.timeout(60_000),
  });

/** All pages, from the newest to the oldest. */
const collect = async <Item>(
  read: (after: string | undefined) => Promise<{ items: readonly Item[]; next: string | undefined }>,
): Promise<Item[]> => {
  const items: Item[] = [];
  let after: string | undefined;
  do {
    const page = await read(after);
    items.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return items;
};

const countsOf = async (accountId: string) => {
  type Shown = { accounts: { accountId: string; objects: Record<string, number> }[] };
  const { accounts } = await fixture.request<Shown>("GET /provider");
  return accounts.find((one) => one.accountId === accountId)?.objects ?? {};
};

describe.each(sampleOf(ACCOUNTS, 1))("the adapter at %s", (accountId, key) => {
  let adapter: Provider;
  beforeEach(() => {
    adapter = adapterFor(key);
  });

  it("reads every object and every link of payments", async () => {
    expect(await adapter.readAccount()).toEqual({ accountId });
    const counts = await countsOf(accountId);
    for (const type of recordTypes) {
      const found = await collect((after) => adapter.listObjects(type, { after }));
      expect(new Set(found.map(({ id }) => id)).size).toBe(counts[NAMES[type]] ?? 0);
    }
    const links = await collect(async (after) => {
      const page = await adapter.listPaymentLinks({ after });
      if (page === undefined) throw new Error("there is no list of payment links");
      return page;
    });
    // Links of voided invoices are optional, because their payments were cancelled.
    const linked = new Map(links.map(({ id, invoiceId }) => [id, invoiceId]));
    for await (const { status, payment, invoice } of fixture.sdk(key).invoicePayments.list({ limit: 100 }))
      if (status !== "canceled") expect(linked.get(String(payment.payment_intent))).toBe(invoice);
    expect(links.length).toBeLessThanOrEqual(counts.invoice_payment ?? 0);
  });

  it("reads the same states from the feed as from the objects", async () => {
    fixture.pass(90_000);
    await fixture.request("POST /provider/changes", { accountId, count: 150, seed: 4 });
    const events = await collect((after) => adapter.listEvents({ since: fixture.nowSeconds(), after }));
    const last = new Map<string, ObjectState | ObjectDeleted>();
    for (const { observations } of events.toReversed())
      for (const one of observations) if (one.kind === "state" || one.kind === "deleted") last.set(one.id, one);
    expect(last.size).toBeGreaterThan(60);
    for (const [id, seen] of last) {
      const read = await adapter.readObject(seen.type, id);
      expect(read.kind).toBe(seen.kind);
      if (read.kind !== "state" || seen.kind !== "state") continue;
      // A payment's event does not name its invoice; a link does.
      const { invoiceId: _, ...fields } = { invoiceId: null, ...read.fields };
      const { invoiceId: __, ...observed } = { invoiceId: null, ...seen.fields };
      expect({ id, ...observed }).toEqual({ id, ...fields });
    }
    const [event] = (await fixture.sdk(key).events.list({ limit: 1 })).data;
    expect(event?.api_version).toBe("2026-10-28.endive");
  });
});
