import { describe, expect, it } from "@jest/globals";
import { usePerFile } from "../../../support/use-started.ts";
import { createFixture, thrownBy } from "./simulator-fixture.ts";

const fixture = usePerFile(createFixture);

describe("objects", () => {
  it("of subscriptions have the period in their items", async () => {
    for (const subscription of (await fixture.sdk().subscriptions.list({ limit: 100 })).data) {
      expect(subscription).not.toHaveProperty("current_period_end");
      const [item] = subscription.items.data;
      expect(Number(item?.current_period_end)).toBeGreaterThan(Number(item?.current_period_start));
      expect(String(item?.price.unit_amount_decimal)).toMatch(/^\d+$/);
    }
  });

  it("of invoices have a parent, and their payments are in a separate list", async () => {
    const { data } = await fixture.sdk().invoices.list({ status: "paid", limit: 100 });
    const invoice = data.find(({ parent }) => parent !== null);
    expect(invoice).toMatchObject({
      parent: { type: "subscription_details", subscription_details: { subscription: expect.stringMatching(/^sub_/) } },
    });
    for (const moved of ["subscription", "payment_intent", "charge"]) expect(invoice).not.toHaveProperty(moved);
    const [payment] = (await fixture.sdk().invoicePayments.list({ invoice: invoice?.id ?? "" })).data;
    const intent = await fixture.sdk().paymentIntents.retrieve(String(payment?.payment.payment_intent));
    expect(intent).not.toHaveProperty("invoice");
  });
});

describe("unsupported features", () => {
  it.each(["2024-06-20", "2025-03-31.basil", "yesterday"])("include the API version %s", async (apiVersion) => {
    const asking = () => fixture.sdk().customers.list({}, { apiVersion });
    const message = `Invalid Stripe API version: ${apiVersion}`;
    expect(await thrownBy(asking)).toMatchObject({ statusCode: 400, message });
  });

  it("include expanded objects and lists below an object", async () => {
    expect(await thrownBy(() => fixture.sdk().invoices.list({ expand: ["data.payments"] }))).toMatchObject({
      code: "parameter_unknown",
      param: "expand",
    });
    const [invoice] = (await fixture.sdk().invoices.list({ limit: 1 })).data;
    const lines = () => fixture.sdk().invoices.listLineItems(invoice?.id ?? "");
    expect(await thrownBy(lines)).toMatchObject({ statusCode: 404, message: expect.stringMatching(/^Unrecognized/) });
  });
});
