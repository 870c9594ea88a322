import { afterAll, describe, expect, it } from "@jest/globals";
import { createAlteredAssemblies } from "../support/altered-assembly.ts";
import { type ServiceUnderTest, startService } from "../support/service.ts";

const SECURITY = "/api/integrations/provider/security";

const assemblies = createAlteredAssemblies();
afterAll(() => assemblies.remove());

/** The service without one right of the function that creates plants. */
const serviceWhereCreatePlantLacks = (action: string, resource: string) =>
  startService({
    assembly: assemblies.without(
      (right) => right.role.includes("CreatePlant") && right.action === action && right.resource.includes(resource),
    ),
  });

const queued = async ({ stack }: ServiceUnderTest): Promise<unknown[]> => {
  const listed = (await (await fetch(`${stack.controlUrl}/`)).json()) as { queues: { name: string }[] };
  const name = listed.queues.find((queue) => queue.name.includes("Unrecorded"))?.name ?? "";
  const shown = (await (await fetch(`${stack.controlUrl}/queues/${name}`)).json()) as { messages: unknown[] };
  return shown.messages;
};

describe("an event that cannot be recorded", () => {
  it("does not fail the request, and is recorded later from the queue, with its alert", async () => {
    const service = await serviceWhereCreatePlantLacks("dynamodb:PutItem", "TablesSecurityEvents");
    try {
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
      expect(await queued(service)).toEqual([]);
    } finally {
      await service.stop();
    }
  });

  it("is logged without its user if the bus refuses it too", async () => {
    const service = await startService({
      assembly: assemblies.without(
        ({ role, action, resource }) =>
          role.includes("CreatePlant") &&
          (action === "events:PutEvents" ||
            (action === "dynamodb:PutItem" && resource.includes("TablesSecurityEvents"))),
      ),
    });
    try {
      const expired = await service.mint({ organizationId: "acme", userId: "eve", expiresInSeconds: -120 });
      expect((await service.request("POST", "/plants", { token: expired, body: "{}" })).status).toBe(401);
      expect(service.logged()).toMatch(/not recorded.*"event":"\{.*\\"eventType\\":\\"AUTHENTICATION_FAILURE\\"/);
      expect(service.logged()).not.toMatch(/not recorded.*(eve\\"|127\.0\.0\.1)/);
    } finally {
      await service.stop();
    }
  });
});
