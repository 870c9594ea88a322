import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { createRecordOperation } from "../../../shared/provider/record-operation.ts";
import { callStore } from "../../../shared/runtime/call-store.ts";
import { withLogIds, writeLog } from "../../../shared/runtime/log.ts";
import { quietLog } from "../../support/quiet-log.ts";

quietLog();
beforeEach(() => {
  process.env.METRICS_NAMESPACE = "PlantStore/dev";
});
afterEach(() => {
  delete process.env.METRICS_NAMESPACE;
});

/** The last line of a piece of work that may fail. */
const lineAfter = async (work: () => Promise<unknown>): Promise<Record<string, unknown>> => {
  await withLogIds({ requestId: "request-1" }, async () => {
    await work().catch(() => undefined);
    writeLog("info", "end", {});
  });
  return JSON.parse(String(jest.mocked(process.stdout.write).mock.lastCall?.[0]));
};

describe("a failed operation of the provider", () => {
  const record = createRecordOperation({ recorder: { record: async () => undefined }, clock: () => 0 });
  const failing = (attempts: number) => () =>
    record({ action: "list_invoices" }, { organizationId: "acme", source: "system" }, async (report) => {
      report.attempts = attempts;
      throw new Error("No answer");
    });

  it("is counted if a request was sent", async () => {
    expect(await lineAfter(failing(3))).toMatchObject({ ProviderFailures: 1 });
    expect(await lineAfter(failing(0))).not.toHaveProperty("ProviderFailures");
  });
});

describe("a failed call of the store", () => {
  const failing = (name: string) => () => callStore(() => Promise.reject(Object.assign(new Error(), { name })));

  it("is counted unless a condition or another transaction was in the way", async () => {
    expect(await lineAfter(failing("InternalServerError"))).toMatchObject({ StoreFailures: 1 });
    for (const name of ["ConditionalCheckFailedException", "TransactionConflictException"])
      expect(await lineAfter(failing(name))).not.toHaveProperty("StoreFailures");
  });
});
