/** Idempotency keys of concurrent requests and cursors, which need runs and many records. */
import { expect, it } from "@jest/globals";
import { organizationOf, PROVIDER } from "../support/integration.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { useOrganizations, useSharedService } from "../support/use-service.ts";

const service = await useSharedService();

const ours = useOrganizations(service, "access-deep");

it("one Idempotency-Key starts one run for many concurrent requests", async () => {
  await ours.connect((await simulatedProvider(service).account(4)).apiKey);
  await ours.lastRun();
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => ours.call("POST", "sync", {}, {}, { "idempotency-key": "at-once" })),
  );
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202, 202]);
  expect(new Set(answers.map(({ text: answer }) => answer)).size).toBe(1);
  await ours.lastRun();
  expect((await ours.runs()).filter(({ trigger }) => trigger === "manual")).toHaveLength(1);
});

it("cursors of runs and records are valid only for their organization and query", async () => {
  await ours.connect((await simulatedProvider(service).account(60)).apiKey);
  await ours.lastRun();
  await ours.sync();
  const others = await organizationOf(service, `${ours.organizationId}-other`).as();
  const token = await ours.as();
  for (const path of ["sync", "records/invoices", "records/customers"]) {
    const { next = "" } = await service.request("GET", `${PROVIDER}/${path}?limit=1`, { token });
    const cursor = new URL(next, service.stack.apiUrl).searchParams.get("cursor") ?? "";
    expect((await service.request("GET", next, { token })).status).toBe(200);
    // The page size may change.
    expect((await service.request("GET", next.replace("limit=1", "limit=2"), { token })).status).toBe(200);
    const refused = { status: 400, body: { error: 40003 } };
    expect(await service.request("GET", next, { token: others })).toMatchObject(refused);
    const elsewhere = path === "sync" ? "records/payments" : "sync";
    expect(await service.request("GET", `${PROVIDER}/${elsewhere}?cursor=${cursor}`, { token })).toMatchObject(refused);
    const forged = `${PROVIDER}/${path}?cursor=${cursor.slice(0, -2)}AA`;
    expect(await service.request("GET", forged, { token })).toMatchObject(refused);
    if (path.startsWith("records")) {
      const narrower = `${next}&updatedSince=0`;
      expect(await service.request("GET", narrower, { token })).toMatchObject(refused);
    }
  }
});
