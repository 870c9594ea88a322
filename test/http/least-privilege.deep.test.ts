import { describe, expect, it } from "@jest/globals";
import { startService } from "../support/service.ts";
import { useAlteredAssemblies } from "../support/use-service.ts";

const assemblies = useAlteredAssemblies();

describe("without its grant", () => {
  const grants: [method: string, path: string, body: string | undefined, table: string, action: string][] = [
    ["POST", "/plants", '{"id":1,"name":"x"}', "Plants", "dynamodb:PutItem"],
    ["GET", "/plants", undefined, "Plants", "dynamodb:Query"],
    ["DELETE", "/plants/1", undefined, "Plants", "dynamodb:DeleteItem"],
    ["GET", "/api/integrations/provider/security", undefined, "SecurityEvents", "dynamodb:Query"],
    ["GET", "/api/integrations/provider/security", undefined, "SecurityRollups", "dynamodb:Query"],
    ["GET", "/api/integrations/provider/security/alert", undefined, "SecurityAlerts", "dynamodb:Query"],
  ];
  it.each(grants)("%s %s is denied by the local cloud as by AWS", async (method, path, body, table, action) => {
    const assembly = assemblies.without(
      (right) => right.action === action && right.resource.includes(`Tables${table}`),
    );
    await using service = await startService({ assembly });
    const token = await service.mint({ organizationId: "acme" });
    const denied = await service.request(method, path, { token, body });
    expect(denied).toMatchObject({ status: 503, body: { error: 50301 } });
    expect(service.denials).toContainEqual(expect.objectContaining({ action }));
    expect(service.logged()).toContain("AccessDenied");
  });
});

it("without its grant, a list is denied the sealing key at its first cursor, and answers whole lists", async () => {
  const assembly = assemblies.without((right) => right.action === "secretsmanager:GetSecretValue");
  await using service = await startService({ assembly });
  const token = await service.mint({ organizationId: "acme" });
  for (const id of [1, 2]) await service.request("POST", "/plants", { token, body: JSON.stringify({ id, name: "x" }) });
  expect(await service.request("GET", "/plants", { token })).toMatchObject({ status: 200 });
  expect(service.denials).toEqual([]);
  expect(await service.request("GET", "/plants?limit=1", { token })).toMatchObject({ status: 503 });
  const action = "secretsmanager:GetSecretValue";
  expect(service.denials).toContainEqual(expect.objectContaining({ action }));
  expect(service.logged()).toContain("platform_secret");
});

describe("with its grants", () => {
  it("no function is denied any call", async () => {
    await using service = await startService();
    const token = await service.mint({ organizationId: "acme" });
    const send = (method: string, path: string, body?: string) => service.request(method, path, { token, body });
    await send("POST", "/plants", '{"id":1,"name":"x"}');
    await send("POST", "/plants", '{"id":2,"name":"x"}');
    await send("GET", "/plants?limit=1");
    await send("DELETE", "/plants/1");
    const guest = await service.mint({ organizationId: "acme", role: "guest", userId: "eve" });
    await service.request("GET", "/api/integrations/provider/security", { token: guest });
    for (const query of [
      "",
      "?userId=eve",
      "?riskLevel=high",
      "?processed=false",
      "?category=authorization",
      "?since=0",
    ]) {
      await send("GET", `/api/integrations/provider/security${query}`);
    }
    await send("GET", "/api/integrations/provider/security/alert");
    await send(
      "POST",
      "/api/integrations/provider/security/alert",
      '{"action":"generate_alert","title":"x","riskLevel":"low"}',
    );
    await service.advance(2 * 3_600_000, "each");
    expect(service.denials.map(({ logicalId, action }) => `AccessDenied: ${logicalId} ${action}`)).toEqual([]);
  });
});
