import { describe, expect, it } from "@jest/globals";
import { parseCaller } from "../../../shared/terms/caller.ts";
import { findClaim, strongestRole } from "../../../shared/terms/claims.ts";

const URL_CLAIM = "https://example.com/org_role";

describe("a claim", () => {
  it.each<[name: string, claims: Record<string, unknown>, expected: unknown]>([
    ["org_role", { org_role: "admin" }, "admin"],
    ["org_role", { role: "admin" }, undefined],
    [URL_CLAIM, { [URL_CLAIM]: "admin" }, "admin"],
    [URL_CLAIM, { "https://example": { "com/org_role": "admin" } }, "admin"],
    ["cognito:groups", { "cognito:groups": ["admin"] }, ["admin"]],
    ["o.id", { o: { id: "org_1" } }, "org_1"],
    ["o.id", { "o.id": "exact", o: { id: "path" } }, "exact"],
    ["o.id", { "o.id": null, o: { id: "path" } }, null],
    ["o.id", { o: { slg: "acme" } }, undefined],
    ["o.id", { o: {} }, undefined],
    ["realm_access.roles", { realm_access: { roles: ["admin"] } }, ["admin"]],
    ["resource_access.plants.roles", { resource_access: { plants: { roles: ["admin"] } } }, ["admin"]],
    // A client id of Keycloak, and a namespaced object of Auth0, contain dots.
    ["resource_access.my.client.roles", { resource_access: { "my.client": { roles: ["admin"] } } }, ["admin"]],
    ["https://example.com/claims.role", { "https://example.com/claims": { role: "admin" } }, "admin"],
    ["a.b.c", { "a.b": { c: "longer step" }, a: { b: { c: "shorter step" } } }, "shorter step"],
    ["a.b.c", { "a.b": { c: "longer step" }, a: { b: {} } }, "longer step"],
    ["a.b.c", { "a.b": { c: "longer step" }, a: "text" }, "longer step"],
    // A path through a value that is not an object is malformed, not absent.
    ["o.id", { o: "org_1" }, null],
    ["o.id", { o: null }, null],
    ["o.id", { o: ["org_1"] }, null],
    ["o.0", { o: ["org_1"] }, null],
    ["o.length", { o: "org_1" }, null],
    ["toString", {}, undefined],
    ["o.constructor.name", { o: {} }, undefined],
    ["__proto__.role", {}, undefined],
    [".id", { "": { id: 1 } }, 1],
    ["o.", { o: { "": 1 } }, 1],
    ["o..id", { "o.": { id: 1 } }, 1],
    ["o.id", { "": { ".id": 1 } }, undefined],
    ["a.a.a.a.a.a", { a: { a: { a: { a: { a: {} } } } } }, undefined],
  ])("%s of %j is %j", (name, claims, expected) => {
    expect(findClaim(claims, name)).toEqual(expected);
  });
});

describe("a role", () => {
  const roleMapping = {
    "org:admin": "admin",
    "org:member": "member",
    accountant: "billing",
    admin: "guest",
    root: "king",
    7: "admin",
  };
  const role = (value: unknown, mapping: object = {}) =>
    strongestRole(value, { organization: "org_id", role: "org_role", roleMapping: { ...mapping } });

  it.each([
    ["admin", "admin"],
    ["guest", "guest"],
    [["member", "billing", "guest"], "billing"],
    [["billing"], "billing"],
    [["unknown", 7, null, {}, "member"], "member"],
    [["owner"], undefined],
    [[], undefined],
    ["ADMIN", undefined],
    ["admin ", undefined],
    ["admin,member", undefined],
    ["org:admin", undefined],
    ["__proto__", undefined],
    ["constructor", undefined],
    [undefined, undefined],
    [{ admin: true }, undefined],
    [[["admin"]], undefined],
  ])("%j is %p", (value, expected) => {
    expect(role(value)).toBe(expected);
  });

  it.each([
    ["org:admin", "admin"],
    [["org:member", "accountant"], "billing"],
    // A role without an entry keeps its name; an entry may also take power away.
    ["member", "member"],
    ["admin", "guest"],
    [["admin", "member"], "member"],
    ["root", undefined],
    [7, undefined],
    ["king", undefined],
    ["toString", undefined],
  ])("%j is mapped to %p", (value, expected) => {
    expect(role(value, roleMapping)).toBe(expected);
  });
});

describe("a caller", () => {
  const settings = { organization: "o.id", role: "o.rol", roleMapping: {} };
  const parse = (claims: object) => parseCaller({ sub: "ada", ...claims }, settings);

  it("has the only organization of a list, and none if the claim is absent", () => {
    expect(parse({ o: { id: ["acme"], rol: "admin" } }).caller).toMatchObject({ scope: "org:acme", role: "admin" });
    expect(parse({ o: { rol: "admin" } }).caller).toMatchObject({ scope: "user:ada", organizationId: undefined });
  });

  it.each([
    { id: [] },
    { id: ["acme", "other"] },
    { id: [["acme"]] },
    { id: null },
    { id: {} },
    "acme",
    ["acme"],
    null,
  ])("with the organization claim %j is malformed, never without an organization", (o) => {
    expect(parse({ o })).toEqual({ malformed: "o.id" });
  });
});
