import { beforeEach, describe, expect, it } from "@jest/globals";
import type Stripe from "stripe";
import { deepIt } from "../../../support/deep-it.ts";
import { usePerTest } from "../../../support/use-started.ts";
import { createFixture, type Happened, thrownBy } from "./simulator-fixture.ts";

const fixture = usePerTest(createFixture);
const stripe = usePerTest(() => fixture.sdk());
beforeEach(() => fixture.pass(90_000));

const change = (body: Record<string, unknown>) => fixture.request<Happened>("POST /provider/changes", body);
const refused = async (body: Record<string, unknown>) => (await fixture.control("POST /provider/changes", body)).status;
const typesOf = ({ events }: Happened) => events.map(({ type }) => type).sort();
const idOf = (happened: Happened, object: string) => happened.objects.find((one) => one.object === object)?.id ?? "";
/** The feed's events of a change, oldest first, as the SDK reads them. */
const readEvents = async ({ events }: Happened) => Promise.all(events.map(({ id }) => stripe.events.retrieve(id)));

describe("a paid invoice", () => {
  it("changes all dependent objects in one second, with events in the feed", async () => {
    const [open] = (await stripe.invoices.list({ status: "open", limit: 1 })).data;
    const paid = await change({ action: "pay_invoice", id: open?.id });
    expect(typesOf(paid)).toEqual(
      [
        "charge.succeeded",
        "invoice.paid",
        "invoice.payment_succeeded",
        "invoice.updated",
        "invoice_payment.paid",
        "payment_intent.succeeded",
      ].sort(),
    );
    expect(new Set(paid.events.map(({ created }) => created))).toEqual(new Set([fixture.nowSeconds()]));
    const invoice = await stripe.invoices.retrieve(open?.id ?? "");
    expect(invoice).toMatchObject({ status: "paid", amount_paid: open?.amount_due, amount_remaining: 0 });
    expect(invoice.status_transitions.paid_at).toBe(fixture.nowSeconds());
    const [link] = (await stripe.invoicePayments.list({ invoice: invoice.id, status: "paid" })).data;
    const intent = await stripe.paymentIntents.retrieve(String(link?.payment.payment_intent));
    expect(intent).toMatchObject({ status: "succeeded", amount_received: open?.amount_due });

    const feed = await stripe.events.list({ created: { gte: fixture.nowSeconds() }, limit: 100 });
    expect(feed.data.map(({ id }) => id).reverse()).toEqual(paid.events.map(({ id }) => id));
    const updated = feed.data.find(({ type }) => type === "invoice.updated");
    expect(updated).toMatchObject({
      object: "event",
      api_version: "2026-10-28.endive",
      livemode: false,
      data: { object: { id: invoice.id, status: "paid" }, previous_attributes: { status: "open" } },
    });
    expect(JSON.parse(JSON.stringify(updated?.data.object))).toEqual(JSON.parse(JSON.stringify(invoice)));
  });

  it("cannot be paid again or voided", async () => {
    const [paid] = (await stripe.invoices.list({ status: "paid", limit: 1 })).data;
    expect(await refused({ action: "pay_invoice", id: paid?.id })).toBe(409);
    expect(await refused({ action: "void_invoice", id: paid?.id })).toBe(409);
    expect(await refused({ action: "pay_invoice", id: "in_none" })).toBe(404);
    expect(await refused({ action: "dance" })).toBe(400);
    const { body } = await fixture.control("POST /provider/changes", { action: "dance" });
    expect(body).toMatchObject({ message: expect.stringContaining("pay_invoice, void_invoice") });
    expect(await refused({ action: "pay_invoice", accountId: "acct_none" })).toBe(404);
  });
});

describe("named changes", () => {
  it("create, update and delete a customer; the deleted customer remains as a stub, in no list", async () => {
    const created = await change({ action: "create_customer", fields: { name: "Ada", email: "ada@example.com" } });
    const id = idOf(created, "customer");
    expect(typesOf(created)).toEqual(["customer.created"]);
    expect((await stripe.customers.list({ limit: 1 })).data[0]).toMatchObject({ id, name: "Ada" });
    expect((await stripe.customers.list({ email: "ada@example.com" })).data).toHaveLength(1);

    const updated = await change({ action: "update", id, fields: { email: "new@example.com", delinquent: true } });
    const [event] = await readEvents(updated);
    expect(event).toMatchObject({
      type: "customer.updated",
      data: {
        object: { email: "new@example.com", delinquent: true },
        previous_attributes: { email: "ada@example.com", delinquent: false },
      },
    });

    await change({ action: "create_subscription", id });
    const deleted = await change({ action: "delete", id });
    expect(typesOf(deleted)).toEqual(["customer.deleted", "customer.subscription.deleted"]);
    expect(JSON.parse(JSON.stringify(await stripe.customers.retrieve(id)))).toEqual({
      id,
      object: "customer",
      deleted: true,
    });
    expect((await stripe.customers.list({ limit: 1 })).data[0]?.id).not.toBe(id);
    expect(await thrownBy(() => stripe.customers.list({ starting_after: id }))).toMatchObject({
      statusCode: 400,
      code: "resource_missing",
      param: "starting_after",
    });
    expect((await stripe.subscriptions.list({ customer: id, status: "all" })).data[0]?.status).toBe("canceled");
    expect(await refused({ action: "update", id, fields: { name: "Eve" } })).toBe(404);
  });

  it("apply to a random customer if the request names no customer", async () => {
    const updated = await change({ action: "update", fields: { name: "Eve Lind" } });
    expect(typesOf(updated)).toEqual(["customer.updated"]);
    expect(await stripe.customers.retrieve(idOf(updated, "customer"))).toMatchObject({ name: "Eve Lind" });
    expect(typesOf(await change({ action: "delete" }))).toContain("customer.deleted");
  });

  it("refuse unknown attributes and changes of the id", async () => {
    const [customer] = (await stripe.customers.list({ limit: 1 })).data;
    const id = customer?.id;
    expect(await refused({ action: "update", id, fields: { nickname: "x" } })).toBe(400);
    expect(await refused({ action: "update", id, fields: { id: "cus_other" } })).toBe(400);
    expect(await refused({ action: "update", id, fields: { deleted: true } })).toBe(400);
    expect(await refused({ action: "update", id, fields: { delinquent: "perhaps" } })).toBe(400);
  });

  it("create a draft invoice, finalize it, fail its payment and void it", async () => {
    const draft = await change({ action: "create_invoice", amount: 4_200 });
    const id = idOf(draft, "invoice");
    expect(await stripe.invoices.retrieve(id)).toMatchObject({ status: "draft", number: null, amount_due: 4_200 });
    const finalized = await change({ action: "finalize_invoice", id });
    const intent = idOf(finalized, "payment_intent");
    expect(await stripe.invoices.retrieve(id)).toMatchObject({ status: "open", amount_due: 4_200 });
    const failed = await change({ action: "fail_payment", id: intent, failureCode: "expired_card" });
    expect(typesOf(failed)).toEqual([
      "charge.failed",
      "invoice.payment_failed",
      "invoice.updated",
      "payment_intent.payment_failed",
    ]);
    const payment = await stripe.paymentIntents.retrieve(intent);
    expect(payment).toMatchObject({ status: "requires_payment_method", last_payment_error: { code: "expired_card" } });
    const voided = await change({ action: "void_invoice", id });
    expect(typesOf(voided)).toEqual(["invoice.updated", "invoice.voided", "payment_intent.canceled"]);
    expect((await stripe.invoices.retrieve(id)).status).toBe("void");
  });

  it("delete a draft invoice, which is then not found", async () => {
    const id = idOf(await change({ action: "create_invoice" }), "invoice");
    expect(typesOf(await change({ action: "delete", id }))).toEqual(["invoice.deleted"]);
    expect(await thrownBy(() => stripe.invoices.retrieve(id))).toMatchObject({ statusCode: 404 });
    const [paid] = (await stripe.invoices.list({ status: "paid", limit: 1 })).data;
    expect(await refused({ action: "delete", id: paid?.id })).toBe(409);
  });

  it("refund and dispute a payment by its id", async () => {
    const [intent] = (await stripe.paymentIntents.list({ limit: 100 })).data.filter(
      (one) => one.status === "succeeded",
    );
    const refunded = await change({ action: "refund", id: intent?.id, amount: 1 });
    expect(typesOf(refunded)).toEqual(["charge.refunded", "refund.created"]);
    const charge = await stripe.charges.retrieve(String(intent?.latest_charge));
    expect(charge).toMatchObject({ amount_refunded: 1, refunded: false });
    const disputed = await change({ action: "dispute", id: intent?.id });
    expect(typesOf(disputed)).toContain("charge.dispute.created");
    expect((await stripe.charges.retrieve(charge.id)).disputed).toBe(true);
    expect(typesOf(await change({ action: "close_dispute", id: idOf(disputed, "dispute") }))).toEqual([
      "charge.dispute.closed",
    ]);
  });

  it("renew and cancel a subscription, at once or at the end of its period", async () => {
    const [active] = (await stripe.subscriptions.list({ status: "active", limit: 1 })).data;
    const id = active?.id ?? "";
    const renewed = await change({ action: "renew_subscription", id });
    expect(idOf(renewed, "invoice")).toMatch(/^in_/);
    const after = await stripe.subscriptions.retrieve(id);
    expect(after.items.data[0]?.current_period_start).toBe(active?.items.data[0]?.current_period_end);
    await change({ action: "cancel_subscription", id, atPeriodEnd: true });
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: "active", cancel_at_period_end: true });
    expect(typesOf(await change({ action: "cancel_subscription", id }))).toEqual(["customer.subscription.deleted"]);
    expect((await stripe.subscriptions.retrieve(id)).status).toBe("canceled");
  });
});

describe("random changes", () => {
  const snapshot = async () => {
    const lists = [stripe.customers, stripe.subscriptions, stripe.invoices, stripe.paymentIntents] as const;
    return JSON.stringify(await Promise.all(lists.map(async (list) => (await list.list({ limit: 100 })).data)));
  };

  it("are the same for the same seed, and differ for other seeds", async () => {
    const other = await createFixture();
    other.pass(90_000);
    try {
      const made = await change({ count: 60, seed: 7 });
      const twin = await other.request<Happened>("POST /provider/changes", { count: 60, seed: 7 });
      expect(twin).toEqual(made);
      expect(await snapshot()).toBe(
        JSON.stringify(
          await Promise.all(
            (["customers", "subscriptions", "invoices", "paymentIntents"] as const).map(
              async (list) => (await other.sdk()[list].list({ limit: 100 })).data,
            ),
          ),
        ),
      );
      const different = await other.request<Happened>("POST /provider/changes", { count: 60, seed: 8 });
      expect(different.events.map(({ type }) => type)).not.toEqual(made.events.map(({ type }) => type));
    } finally {
      await other.stop();
    }
  });

  deepIt("are of many kinds, and every object equals the data of its last event", async () => {
    const made = await change({ count: 400, seed: 3 });
    expect(new Set(made.events.map(({ type }) => type)).size).toBeGreaterThan(25);
    const last = new Map<string, Stripe.Event>();
    for (const event of await readEvents(made)) last.set((event.data.object as { id: string }).id, event);
    let compared = 0;
    for (const [id, event] of last) {
      if (!id.startsWith("in_") || event.type === "invoice.deleted") continue;
      expect(JSON.parse(JSON.stringify(await stripe.invoices.retrieve(id)))).toEqual(
        JSON.parse(JSON.stringify(event.data.object)),
      );
      compared++;
    }
    expect(compared).toBeGreaterThan(50);
  });
});

describe("the feed", () => {
  it("drops events after 30 days", async () => {
    const made = await change({ action: "create_customer" });
    const id = made.events[0]?.id ?? "";
    fixture.pass(30 * 86_400_000);
    expect((await stripe.events.list()).data.map((event) => event.id)).toEqual([id]);
    fixture.pass(1_000);
    expect((await stripe.events.list()).data).toEqual([]);
    expect(await thrownBy(() => stripe.events.retrieve(id))).toMatchObject({ statusCode: 404 });
  });

  it("continues after a restart, as all objects do", async () => {
    const made = await change({ count: 20 });
    const before = await Promise.all([
      stripe.customers.list({ limit: 100 }),
      stripe.invoices.list({ limit: 100 }),
      stripe.events.list({ limit: 100 }),
    ]);
    await fixture.restart();
    const restarted = fixture.sdk();
    const after = await Promise.all([
      restarted.customers.list({ limit: 100 }),
      restarted.invoices.list({ limit: 100 }),
      restarted.events.list({ limit: 100 }),
    ]);
    expect(JSON.stringify(after.map(({ data }) => data))).toBe(JSON.stringify(before.map(({ data }) => data)));
    const more = await change({ count: 20 });
    const ids = [...made.events, ...more.events].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
