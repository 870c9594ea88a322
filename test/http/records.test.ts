import { beforeAll, describe, expect, it } from "@jest/globals";
import { organizationOf, PROVIDER } from "../support/integration.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { useSharedService } from "../support/use-service.ts";

const service = await useSharedService();
const ours = organizationOf(service, "records");
beforeAll(async () => {
  const { apiKey } = await simulatedProvider(service).account(200);
  await ours.connect(apiKey);
  expect(await ours.lastRun()).toMatchObject({ status: "succeeded" });
});

describe("records", () => {
  it.each([
    ["customers", ["name", "email", "currency", "delinquent"]],
    ["subscriptions", ["status", "customerId", "currency", "items", "currentPeriodStart", "currentPeriodEnd"]],
    ["invoices", ["number", "status", "customerId", "subscriptionId", "currency", "amountDue", "amountPaid", "dueAt"]],
    ["payments", ["status", "customerId", "invoiceId", "currency", "amount", "amountReceived", "failureCode"]],
  ])("of %s have the documented fields, newest first", async (type, fields) => {
    const records = await ours.records(type);
    expect(records.length).toBeGreaterThan(1);
    const created = records.map(({ createdAt }) => Number(createdAt));
    expect(created).toEqual([...created].sort((a, b) => b - a));
    for (const record of records) expect(record).toMatchObject({ type, deleted: false });
    expect(Object.keys(records[0] ?? {})).toEqual(expect.arrayContaining(fields));
  });

  it("are filtered by customer, status and time of change, and paged", async () => {
    const all = await ours.records("invoices");
    const customerId = String(all[0]?.customerId);
    expect(await ours.records("invoices", `customerId=${customerId}`)).toEqual(
      all.filter((invoice) => invoice.customerId === customerId),
    );
    expect(await ours.records("invoices", "status=paid&limit=1000")).toEqual(
      all.filter(({ status }) => status === "paid"),
    );
    expect(await ours.records("invoices", `id=${all[1]?.id}`)).toEqual([all[1]]);
    expect(await ours.records("payments", `id=${all[1]?.id}`)).toEqual([]);
    const changes = all.map(({ updatedAt }) => Number(updatedAt)).sort((a, b) => a - b);
    const [last] = changes.slice(-1);
    expect(await ours.records("invoices", `updatedSince=${(last ?? 0) + 1}`)).toEqual([]);
    expect((await ours.records("invoices", `updatedSince=${changes[0]}&limit=1000`)).length).toBe(all.length);
    expect(await ours.everyPage("records/invoices?limit=7")).toEqual(all);
  });

  it("are filtered by amount and by overdue invoices, alone and with a status", async () => {
    const invoices = await ours.records("invoices", "limit=1000");
    const amounts = invoices.map(({ amountDue }) => Number(amountDue)).sort((a, b) => a - b);
    const [low, high] = [amounts[3] ?? 0, amounts.at(-3) ?? 0];
    const within = invoices.filter(({ amountDue }) => Number(amountDue) >= low && Number(amountDue) <= high);
    expect(within.length).toBeGreaterThan(0);
    expect(await ours.records("invoices", `minAmount=${low}&maxAmount=${high}&limit=1000`)).toEqual(within);
    expect(await ours.records("invoices", `minAmount=${low}&status=paid&limit=1000`)).toEqual(
      invoices.filter(({ amountDue, status }) => Number(amountDue) >= low && status === "paid"),
    );
    // The due dates are far from the present.
    const now = Date.now();
    const isOverdue = ({ status, dueAt }: Record<string, unknown>) =>
      status === "open" && typeof dueAt === "number" && dueAt < now;
    expect(await ours.records("invoices", "overdue=true&limit=1000")).toEqual(invoices.filter(isOverdue));
    expect(await ours.records("invoices", "overdue=false&limit=1000")).toEqual(
      invoices.filter((invoice) => !isOverdue(invoice)),
    );
    const [payment] = await ours.records("payments");
    const [id, amount] = [payment?.id, Number(payment?.amount)];
    expect(await ours.records("payments", `id=${id}&minAmount=${amount}&maxAmount=${amount}`)).toEqual([payment]);
    expect(await ours.records("payments", `id=${id}&minAmount=${amount + 1}`)).toEqual([]);
  });

  it.each([
    ["customers", "status=active", 400],
    ["customers", "minAmount=1", 400],
    ["customers", "paymentId=pi_1", 400],
    ["subscriptions", "maxAmount=1", 400],
    ["subscriptions", "overdue=true", 400],
    ["payments", "overdue=true", 400],
    ["payments", "paymentId=pi_1", 400],
    ["payouts", "paymentId=po_1", 400],
    ["refunds", "customerId=cus_1", 400],
    ["payouts", "customerId=cus_1", 400],
    ["invoices", "minAmount=1.5", 400],
    ["invoices", "maxAmount=", 400],
    ["invoices", "overdue=yes", 400],
    ["customers", "customerId=cus_1", 200],
    ["refunds", "paymentId=pi_1&status=failed&minAmount=-5", 200],
    ["disputes", "paymentId=pi_1&maxAmount=0", 200],
    ["payouts", "status=paid&minAmount=0", 200],
  ])("of %s filtered by %s are answered with %i", async (type, query, status) => {
    const answer = await ours.call("GET", `records/${type}?${query}`);
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.body).toMatchObject({ error: 40002 });
  });

  it("are not visible to another organization, which cannot use their cursors either", async () => {
    const others = organizationOf(service, "records-of-others");
    expect(await others.records("customers")).toEqual([]);
    const { next } = await service.request("GET", `${PROVIDER}/records/customers?limit=1`, { token: await ours.as() });
    expect(await service.request("GET", String(next), { token: await others.as() })).toMatchObject({
      status: 400,
      body: { error: 40003 },
    });
  });

  it("are readable by members and guests as the settings allow, from the next request on", async () => {
    const as = async (role: string, type: string) =>
      (await ours.call("GET", `records/${type}`, undefined, { role })).status;
    expect([await as("billing", "customers"), await as("member", "customers"), await as("guest", "invoices")]).toEqual([
      200, 403, 403,
    ]);
    await ours.call("PUT", "settings", { recordAccess: { member: ["customers"], guest: ["invoices"] } });
    expect([await as("member", "customers"), await as("member", "invoices"), await as("guest", "invoices")]).toEqual([
      200, 403, 200,
    ]);
  });

  it("record one read event per user, type and minute", async () => {
    for (let i = 0; i < 3; i++) await ours.call("GET", "records/payments", undefined, { userId: "reader" });
    await ours.call("GET", "records/customers", undefined, { userId: "reader" });
    const events = await ours.events("category=data_access&userId=reader");
    // A new minute may have begun between two requests.
    expect(events.filter(({ action }) => action === "read_payments").length).toBeLessThanOrEqual(2);
    expect(events).toContainEqual(
      expect.objectContaining({ eventType: "DATA_READ", riskLevel: "LOW", source: "user" }),
    );
    expect(new Set(events.map(({ action }) => action))).toEqual(new Set(["read_payments", "read_customers"]));
  });

  it.each([
    ["charges", ""],
    ["invoices", "?status="],
    ["invoices", "?updatedSince=yesterday"],
    ["invoices", "?limit=1001"],
    ["invoices", "?cursor=forged"],
  ])("are not answered for %s%s", async (type, query) => {
    expect((await ours.call("GET", `records/${type}${query}`)).status).toBe(400);
  });
});
