import { expect, it } from "@jest/globals";
import { synthesiseWith } from "../support/synthesise-with.ts";
import { useService } from "../support/use-service.ts";

const roleMapping = '{"owner":"admin","admin":"guest"}';
const context = { organizationClaim: "o.id", roleClaim: "https://example.com/roles", roleMapping };
const service = await useService({ assembly: await synthesiseWith("own-claims", context) });

const me = async (claims: object) =>
  service.request("GET", "/api/integrations/provider/me", { token: await service.mint({ claims }) });

it("a deployment reads the claims that its context names, and maps the issuer's roles", async () => {
  const o = { id: "org_123" };
  expect(await me({ o, "https://example.com/roles": ["admin", "owner", "member"] })).toMatchObject({
    status: 200,
    body: { organizationId: "org_123", role: "admin" },
  });
  expect((await me({ o, "https://example.com/roles": "admin" })).body).toMatchObject({
    userId: "developer",
    organizationId: "org_123",
    role: "guest",
    permissions: [],
    recordTypes: [],
  });
  // The development issuer's own claim org_role does not count.
  expect((await me({ o })).body).toMatchObject({
    role: "guest",
    roleNote: "The token has no claim https://example.com/roles, so the role counts as guest.",
  });
  expect(await me({ org_id: "acme", "https://example.com/roles": "owner" })).toMatchObject({
    status: 403,
    body: { error: 40303, message: "The token names no organization: it has no claim o.id." },
  });
});
