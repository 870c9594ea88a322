import { describe, expect, it } from "@jest/globals";
import { controlOf } from "../support/control.ts";
import { startService } from "../support/service.ts";
import { useAlteredAssemblies } from "../support/use-service.ts";

const SECURITY = "/api/integrations/provider/security";

const assemblies = useAlteredAssemblies();

/** The service without one right of the function that creates plants. */
const serviceWhereCreatePlantLacks = (action: string, resource: string) =>
  startService({
    assembly: assemblies.without(
      (right) => right.role.includes("CreatePlant") && right.action === action && right.resource.includes(resource),
    ),
  });

describe("an event that cannot be recorded", () => {
  it("does not fail the request, and is recorded later from the queue, with its alert", async () => {
    await using service = await serviceWhereCreatePlantLacks("dynamodb:PutItem", "TablesSecurityEvents");
    const expired = await service.mint({ organizationId: "acme", userId: "eve", expiresInSeconds: -120 });
    const refused = await service.request("POST", "/plants", { token: expired, body: "{}" });
    expect(refused).toMatchObject({ status: 401, body: { error: 40103 } });
    expect(service.logged()).toContain("A security event was not recorded");
    // The clock moves only after everything in progress has ended.
    await service.advance(1);
    const token = await service.mint({ organizationId: "acme" });
    const { body } = await service.request("GET", SECURITY, { token });
    expect(body).toMatchObject({ events: [{ userId: "eve", errorCode: "40103" }], stats: { totalEvents: 1 } });
    expect((await service.request("GET", `${SECURITY}/alert`, { token })).body).toMatchObject([{ count: 1 }]);
    expect((await controlOf(service).queue(/UnrecordedSecurityEvents/)).messages).toEqual([]);
  });

  it("is logged without its user if the bus refuses it too", async () => {
    await using service = await startService({
      assembly: assemblies.without(
        ({ role, action, resource }) =>
          role.includes("CreatePlant") &&
          (action === "events:PutEvents" ||
            (action === "dynamodb:PutItem" && resource.includes("TablesSecurityEvents"))),
      ),
    });
    const expired = await service.mint({ organizationId: "acme", userId: "eve", expiresInSeconds: -120 });
    expect((await service.request("POST", "/plants", { token: expired, body: "{}" })).status).toBe(401);
    expect(service.logged()).toMatch(/not recorded.*"event":"\{.*\\"eventType\\":\\"AUTHENTICATION_FAILURE\\"/);
    expect(service.logged()).not.toMatch(/not recorded.*(eve\\"|127\.0\.0\.1)/);
  });
});
