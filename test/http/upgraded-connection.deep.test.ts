/** A connection as an earlier version of the service stored it, with a restricted key of that time, over HTTP. */
import { DeleteItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, expect, it } from "@jest/globals";
import { activityKey } from "../../shared/sync/activity-item.ts";
import { stateKey } from "../../shared/sync/sync-item.ts";
import { organizationKey } from "../../shared/terms/keys.ts";
import { engineClient } from "../support/everything.ts";
import { eventually, organizationOf } from "../support/integration.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { useService } from "../support/use-service.ts";

const HOUR = 3_600_000;

const service = await useService();
const provider = simulatedProvider(service);
const ours = organizationOf(service, "upgraded");
const engine = engineClient(service);
afterAll(() => engine.destroy());

const tableOf = (name: string): string => service.stack.tables.find((one) => one.includes(name)) ?? name;

const keyOf = (key: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(key).map(([name, value]) => [name, { S: value }]));

const remove = (table: string, key: Readonly<Record<string, string>>, attributes: readonly string[]) =>
  engine.send(
    new UpdateItemCommand({
      TableName: tableOf(table),
      Key: keyOf(key),
      UpdateExpression: `REMOVE ${attributes.map((_, i) => `#a${i}`).join(", ")}`,
      ExpressionAttributeNames: Object.fromEntries(attributes.map((name, i) => [`#a${i}`, name])),
    }),
  );

it("raises no alert and fails no run after the upgrade", async () => {
  const account = await provider.account(20, { seed: "upgraded" });
  const apiKey = account.apiKey.replace("sk_test_", "rk_test_");
  // The permissions that this version reads in addition, and those of the webhook endpoint.
  for (const path of ["refunds", "disputes", "payouts", "webhook_endpoints"])
    await provider.fail(account.accountId, { kind: "error", status: 403, pathPrefix: `/v1/${path}` });
  await ours.connect(apiKey);
  await ours.lastRun();
  const { organizationId } = ours;
  const later = ["key", "keyAlerts", "endpointCheck", "connectedSince"];
  await remove("TablesConnections", { id: organizationKey(organizationId) }, later);
  await remove("TablesSyncRuns", stateKey(organizationId), ["readTypes", "refusedTypes"]);
  await engine.send(
    new DeleteItemCommand({ TableName: tableOf("TablesSyncRuns"), Key: keyOf(activityKey(organizationId)) }),
  );

  const runs = (await ours.runs()).length;
  await service.advance(26 * HOUR);
  await eventually("the runs of a day", async () => (await ours.runs()).length >= runs + 5);
  await ours.sync();
  expect((await ours.runs()).filter(({ status }) => status !== "succeeded")).toEqual([]);
  expect((await ours.call("GET", "security/alert")).body).toEqual([]);
  expect((await ours.events("success=false&since=0")).filter(({ riskLevel }) => riskLevel !== "LOW")).toEqual([]);
  expect((await ours.call("GET", "connection")).body).toMatchObject({
    status: "connected",
    key: { kind: "restricted", advice: [] },
    accountActivity: { state: "not_available" },
    missing: { permissions: ["rak_charge_read", "rak_dispute_read", "rak_payout_read"], eventTypes: [] },
  });
  expect((await ours.records("customers")).length).toBeGreaterThan(0);
});
