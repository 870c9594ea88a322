/** Payments get their invoices from a separate list, which is read before the payments. */

import { describe, expect, it } from "@jest/globals";
import { createRecordStore } from "../../../shared/records/record-store.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import { SyncRequested } from "../../../shared/sync/sync-request.ts";
import { providerErrors } from "../../support/fake-provider.ts";
import { providerError } from "../../support/provider-errors.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { createStage, NOW, RECORDS, type Stage, useSyncEngine } from "./stage.ts";

quietLog();

const engine = useSyncEngine();

/** Payments of the day before, all but the first with an invoice each. */
const withPayments = (count: number, pageSize: number): Stage => {
  const stage = createStage(engine, { pageSize });
  for (let i = 0; i < count; i++) {
    const id = stage.world.create("payments", {}, { createdAt: NOW - 86_400_000 + i * 120_000 });
    if (i > 0) stage.world.link(id, `in_${id}`);
  }
  return stage;
};

/** The invoices of the stored payments, in their order. */
const invoicesOf = async ({ client, organizationId, world }: Stage) => {
  const records = createRecordStore(createTable(client, RECORDS));
  const stored = await Promise.all(
    world.ids("payments").map((id) => records.get(organizationId, { type: "payments", id })),
  );
  return stored.map((payment) => payment?.fields && "invoiceId" in payment.fields && payment.fields.invoiceId);
};

const expectedOf = ({ world }: Stage) => world.ids("payments").map((id, i) => (i === 0 ? null : `in_${id}`));

describe("a full run", () => {
  it("writes each payment once, with its invoice, and not again", async () => {
    const stage = withPayments(7, 2);
    await expect(stage.sync()).resolves.toMatchObject({ status: "succeeded", progress: { payments: { written: 7 } } });
    await expect(invoicesOf(stage)).resolves.toEqual(expectedOf(stage));
    await expect(stage.sync({ mode: "full" })).resolves.toMatchObject({ progress: { payments: { written: 0 } } });
    const methods = stage.world.calls.map(({ method, type }) => type ?? method);
    expect(methods.lastIndexOf("listPaymentLinks")).toBeLessThan(methods.lastIndexOf("payments"));
    expect(methods.indexOf("listPaymentLinks")).toBeLessThan(methods.indexOf("payments"));
  });

  it("keeps the links if other invocations read the payments", async () => {
    const stage = withPayments(9, 2);
    await stage.startRun({ organizationId: stage.organizationId, trigger: "manual" });
    for (let event = stage.published.shift(); event !== undefined; event = stage.published.shift()) {
      let looks = 1;
      const remainingMs = () => (looks-- > 0 ? 60_000 : 14_000);
      await stage.deliver(SyncRequested.parse(event.detail), { remainingMs });
    }
    await expect(stage.list()).resolves.toMatchObject([{ status: "succeeded" }]);
    await expect(invoicesOf(stage)).resolves.toEqual(expectedOf(stage));
  });

  it("reads the links from their beginning if the link that a page starts after no longer exists", async () => {
    const stage = withPayments(9, 2);
    let failures = 2;
    stage.world.onCall(({ method, after }) => {
      if (method === "listPaymentLinks" && after !== undefined && failures-- > 0) throw providerErrors.missing();
    });
    await expect(stage.sync()).resolves.toMatchObject({ status: "succeeded" });
    await expect(invoicesOf(stage)).resolves.toEqual(expectedOf(stage));
  });

  it.each([403, 404])("leaves the links to events if their list is refused (%i)", async (status) => {
    const stage = withPayments(3, 2);
    stage.world.onCall(({ method }) => {
      if (method === "listPaymentLinks") throw providerError("forbidden", { status });
    });
    await expect(stage.sync()).resolves.toMatchObject({ status: "succeeded", progress: { payments: { written: 3 } } });
    await expect(invoicesOf(stage)).resolves.toEqual([null, null, null]);
  });

  it("reads the payments if the links fail, and then ends failed", async () => {
    const stage = withPayments(3, 2);
    stage.world.onCall(({ method }) => {
      if (method === "listPaymentLinks") throw providerErrors.unavailable();
    });
    await expect(stage.sync()).resolves.toMatchObject({
      status: "failed",
      error: { message: expect.stringContaining("Not read to their end: payments") },
      progress: { payments: { written: 3 } },
    });
    expect(stage.recordedActions().at(-1)).toBe("PROVIDER_SYNC_FAILED sync_full");
  });
});
