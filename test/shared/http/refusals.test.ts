import { describe, expect, it } from "@jest/globals";
import type { Caller } from "../../../shared/api/caller.ts";
import type { ErrorName } from "../../../shared/api/error-catalogue.ts";
import type { Route } from "../../../shared/api/route.ts";
import { routes } from "../../../shared/api/routes.ts";
import { createRefusalRecorder } from "../../../shared/http/refusals.ts";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import type { NewSecurityEvent } from "../../../shared/security/security-event.ts";
import { httpEvent } from "../../support/http-event.ts";

const caller: Caller = {
  userId: "ada",
  organizationId: "acme",
  role: "member",
  sessionId: "session-1",
  scope: "org:acme",
};

const recorderAt = (now = () => 0) => {
  const recorded: NewSecurityEvent[] = [];
  const record = createRefusalRecorder(
    {
      record: async (event) => {
        recorded.push(event);
        return undefined;
      },
    },
    now,
  );
  const refuse = (code: ErrorName, who: Caller | undefined = undefined, route: Route = routes.deletePlant) =>
    record({ route, event: httpEvent(), error: new DomainError(code, "No."), caller: who });
  return { recorded, refuse };
};

describe("a refusal", () => {
  it("of a token is an authentication failure, of its organization as far as the signature vouches for it", async () => {
    const { recorded, refuse } = recorderAt();
    await refuse("invalid_token");
    await refuse("expired_token", caller);
    const common = {
      eventType: "AUTHENTICATION_FAILURE",
      category: "authentication",
      riskLevel: "HIGH",
      source: "user",
      ipAddress: "127.0.0.1",
      userAgent: "jest",
      resource: "DELETE /plants/{id}",
      resourceType: "plant",
      action: "delete_plants_id",
      success: false,
      errorMessage: "No.",
      metadata: { requestId: "request-1", permission: "plants:write" },
    };
    expect(recorded).toEqual([
      { ...common, errorCode: "40102" },
      { ...common, errorCode: "40103", organizationId: "acme", userId: "ada", sessionId: "session-1" },
    ]);
  });

  it("of a request without a token is no event", async () => {
    const { recorded, refuse } = recorderAt();
    await refuse("no_bearer_token");
    expect(recorded).toEqual([]);
  });

  it("of a permission is recorded each time", async () => {
    const { recorded, refuse } = recorderAt();
    for (let i = 0; i < 20; i++) await refuse("role_may_not", caller);
    expect(recorded).toHaveLength(20);
    expect(recorded[0]).toMatchObject({ eventType: "PERMISSION_DENIED", category: "authorization", userId: "ada" });
  });

  it("of an address names the address, and is recorded each time", async () => {
    const { recorded, refuse } = recorderAt();
    for (let i = 0; i < 20; i++) await refuse("ip_address_not_allowed", caller, routes.getCircuitBreaker);
    expect(recorded).toHaveLength(20);
    expect(recorded[0]).toMatchObject({
      eventType: "PERMISSION_DENIED",
      category: "authorization",
      organizationId: "acme",
      userId: "ada",
      ipAddress: "127.0.0.1",
      errorCode: "40302",
      metadata: { requestId: "request-1", permission: "status:read" },
    });
  });

  it("is counted rather than recorded in a flood, by address and organization", async () => {
    const { recorded, refuse } = recorderAt();
    for (let i = 0; i < 10_000; i++) await refuse("expired_token", { ...caller, userId: `user-${i % 7}` });
    expect(recorded).toHaveLength(9);
    expect(recorded.at(-1)).toMatchObject({
      organizationId: "acme",
      errorMessage: "At least 9000 more tokens from this address were refused.",
      metadata: { failures: 9_000, users: 7, isLowerBound: true },
    });
    expect(recorded.at(-1)).not.toHaveProperty("userId");
    await refuse("invalid_token");
    expect(recorded).toHaveLength(10);
  });
});
