/**
 * Access tokens of identity providers that differ from the samples in docs/identity.md, as the providers document them,
 * and what the service makes of them. The pages are linked in docs/identity.md; other sources are beside their row.
 */
import type { CallerAccess } from "./identity-recipes.ts";

type Variant = {
  provider: string;
  what: string;
  /** Context keys that differ from the recipe; undefined removes one. */
  context?: Record<string, string | undefined>;
  /** Header fields and claims that differ from the sample; undefined removes one. */
  header?: Record<string, unknown>;
  claims: Record<string, unknown>;
  /** The caller as GET …/me answers, in part; or the message of the refusal. */
  expected: Partial<CallerAccess> | RegExp;
};

const ANOTHER_AUDIENCE = /for another audience/;
const ID_TOKEN = /is an ID token/;

export const variants: Variant[] = [
  {
    provider: "Amazon Cognito",
    what: "for a requested resource",
    context: { audience: "https://plants.example.com" },
    claims: { aud: "https://plants.example.com" },
    expected: { organizationId: "acme", role: "billing" },
  },
  {
    provider: "Amazon Cognito",
    what: "for another resource, of the accepted app client",
    claims: { aud: "https://plants.example.com" },
    expected: ANOTHER_AUDIENCE,
  },
  {
    provider: "Amazon Cognito",
    what: "of another app client",
    claims: { client_id: "another", azp: "xxxxxxxxxxxxexample" },
    expected: ANOTHER_AUDIENCE,
  },
  {
    provider: "Amazon Cognito",
    what: "of a machine client, which has no groups",
    claims: { sub: "xxxxxxxxxxxxexample", "cognito:groups": undefined, username: undefined, device_key: undefined },
    expected: {
      userId: "xxxxxxxxxxxxexample",
      role: "guest",
      roleNote: "The token has no claim cognito:groups, so the role counts as guest.",
    },
  },
  {
    provider: "Amazon Cognito",
    what: "with the longest lifetime, one day",
    claims: { exp: 1676313851 + 86_400 },
    expected: { role: "billing" },
  },
  {
    provider: "Amazon Cognito",
    what: "without mapping, in a group that is named like a role",
    context: { roleMapping: undefined },
    claims: { "cognito:groups": ["member", "admin"] },
    expected: { role: "admin" },
  },
  {
    provider: "Amazon Cognito",
    what: "that is an ID token",
    claims: { token_use: "id", aud: "xxxxxxxxxxxxexample", client_id: undefined },
    expected: ID_TOKEN,
  },
  {
    provider: "Auth0",
    what: "of the RFC 9068 profile",
    header: { typ: "at+jwt" },
    claims: { client_id: "my_client_id", azp: undefined, jti: "73WakrfVbNJBaAmhQtEeDv" },
    expected: { organizationId: "org_9ybsU1dN2dKfDkBi", role: "admin" },
  },
  {
    // https://auth0.com/docs/get-started/authentication-and-authorization-flow/client-credentials-flow
    provider: "Auth0",
    what: "of a machine client",
    claims: {
      sub: "ENDmmAJsbwI1hOG1KPJddQ8LHjV6kLkV@clients",
      aud: "https://plants.example.com/",
      gty: "client-credentials",
      "https://plants.example.com/org_role": undefined,
    },
    expected: {
      userId: "ENDmmAJsbwI1hOG1KPJddQ8LHjV6kLkV@clients",
      role: "guest",
      roleNote: "The token has no claim https://plants.example.com/org_role, so the role counts as guest.",
    },
  },
  {
    provider: "Auth0",
    what: "with both claims in one namespaced object",
    context: {
      organizationClaim: "https://plants.example.com/claims.organization",
      roleClaim: "https://plants.example.com/claims.role",
      roleMapping: undefined,
    },
    claims: { "https://plants.example.com/claims": { organization: "acme", role: "billing" } },
    expected: { organizationId: "acme", role: "billing" },
  },
  {
    provider: "Auth0",
    what: "with the longest lifetime, 30 days",
    claims: { exp: 1616499255 + 2_592_000 },
    expected: /lives longer than 24 hours/,
  },
  {
    provider: "Auth0",
    what: "that is an ID token for the same audience",
    claims: { aud: "https://plants.example.com/", nonce: "RGtDUzJq", sid: "s1", azp: undefined, scope: undefined },
    expected: ID_TOKEN,
  },
  {
    provider: "Okta",
    what: "of a machine client",
    claims: { sub: "0oa8acv8gbBPRCZ7I5d7", cid: "0oa8acv8gbBPRCZ7I5d7", uid: undefined, groups: undefined },
    expected: {
      userId: "0oa8acv8gbBPRCZ7I5d7",
      role: "guest",
      roleNote: "The token has no claim groups, so the role counts as guest.",
    },
  },
  {
    provider: "Okta",
    what: "with groups that are not mapped",
    claims: { groups: ["Everyone"] },
    expected: { role: "guest", roleNote: "The token's claim groups has no known role, so the role counts as guest." },
  },
  {
    provider: "Okta",
    what: "for another authorization server's audience, of the accepted client",
    context: { audience: "0oaosna3ilNxgPTmk0h7" },
    claims: {},
    expected: ANOTHER_AUDIENCE,
  },
  {
    // https://developer.okta.com/docs/api/openapi/okta-oauth/guides/overview/
    provider: "Okta",
    what: "that is an ID token for the same audience",
    claims: { at_hash: "preview_at_hash", auth_time: 1448889000, amr: ["pwd"], cid: undefined, scp: undefined },
    expected: ID_TOKEN,
  },
  {
    provider: "Microsoft Entra ID",
    what: "with a directory extension, whose name contains a dot",
    context: { organizationClaim: "extn.organization" },
    claims: { "extn.organization": ["acme"] },
    expected: { organizationId: "acme", role: "member" },
  },
  {
    provider: "Microsoft Entra ID",
    what: "of an application without a user",
    claims: { idtyp: "app", scp: undefined, name: undefined, preferred_username: undefined, roles: ["Plants.Admin"] },
    expected: { role: "admin" },
  },
  {
    provider: "Microsoft Entra ID",
    what: "of a user without an app role",
    claims: { roles: undefined },
    expected: {
      role: "guest",
      permissions: [],
      roleNote: "The token has no claim roles, so the role counts as guest.",
    },
  },
  {
    provider: "Microsoft Entra ID",
    what: "of version 1.0, for the application's id URI",
    claims: {
      aud: "api://00001111-aaaa-2222-bbbb-3333cccc4444",
      appid: "00001111-aaaa-2222-bbbb-3333cccc4444",
      ver: "1.0",
    },
    expected: ANOTHER_AUDIENCE,
  },
  {
    provider: "Microsoft Entra ID",
    what: "of 28 hours, for a client with continuous access evaluation",
    claims: { exp: 1537231048 + 28 * 3_600, xms_cc: ["cp1"] },
    expected: /lives longer than 24 hours/,
  },
  {
    provider: "Microsoft Entra ID",
    what: "that is an ID token of the same application",
    claims: { nonce: "123523", azp: undefined, scp: undefined, azpacr: undefined },
    expected: ID_TOKEN,
  },
  {
    provider: "Keycloak",
    what: "of a version before 24, with a nonce",
    claims: { nonce: "a5bd9d1c-8d9c-4d0b-8a3e-2b1f6a1e6c11", session_state: "4c0a3a8a-3a47-4f2f-8e89-9e5f9b0a0a0a" },
    expected: { organizationId: "acme", role: "admin" },
  },
  {
    provider: "Keycloak",
    what: "with roles of the client",
    context: { roleClaim: "resource_access.plants.roles", roleMapping: undefined },
    claims: { resource_access: { plants: { roles: ["billing"] }, account: { roles: ["manage-account"] } } },
    expected: { role: "billing" },
  },
  {
    provider: "Keycloak",
    what: "with roles of a client whose id contains dots",
    context: { roleClaim: "resource_access.com.example.plants.roles", roleMapping: undefined },
    claims: { resource_access: { "com.example.plants": { roles: ["billing"] } } },
    expected: { role: "billing" },
  },
  {
    provider: "Keycloak",
    what: "whose only known role is the realm's admin, which the mapping makes a guest",
    claims: { realm_access: { roles: ["admin", "offline_access"] } },
    expected: { role: "guest", permissions: [] },
  },
  {
    provider: "Keycloak",
    what: "without aud, of the accepted client",
    context: { audience: "shop-frontend" },
    claims: { aud: undefined },
    expected: { role: "admin" },
  },
  {
    provider: "Keycloak",
    what: "without an audience mapper, of the accepted client",
    context: { audience: "shop-frontend" },
    claims: { aud: "account" },
    expected: ANOTHER_AUDIENCE,
  },
  {
    provider: "Keycloak",
    what: "of a user with several organizations",
    claims: { organization: ["acme", "other"] },
    expected: /its claim organization is not one identifier/,
  },
  {
    provider: "Keycloak",
    what: "with the ids of organizations",
    claims: { organization: { testcorp: { id: "42c3e46f-2477-44d7-a85b-d3b43f6b31fa", attr1: ["value1"] } } },
    expected: /its claim organization is not one identifier/,
  },
  {
    provider: "Keycloak",
    what: "that is an ID token for the same audience",
    claims: { typ: "ID", at_hash: undefined, realm_access: undefined, scope: undefined },
    expected: ID_TOKEN,
  },
  {
    provider: "Clerk",
    what: "of version 1",
    context: {
      organizationClaim: undefined,
      roleClaim: undefined,
      roleMapping: '{"org:admin":"admin","org:member":"member"}',
    },
    claims: {
      v: undefined,
      o: undefined,
      org_id: "org_123",
      org_slug: "org-slug",
      org_role: "org:admin",
      org_permissions: ["org:admin:example_permission", "org:member:example_permission"],
    },
    expected: { organizationId: "org_123", role: "admin" },
  },
  {
    provider: "Clerk",
    what: "with a custom role that is not mapped",
    claims: { o: { id: "org_123", slg: "org-slug", rol: "accountant" } },
    expected: { role: "guest", roleNote: "The token's claim o.rol has no known role, so the role counts as guest." },
  },
  {
    provider: "Clerk",
    what: "with a custom audience",
    context: { audience: "plants" },
    claims: { aud: "plants", azp: "https://another.example.com" },
    expected: { organizationId: "org_123", role: "member" },
  },
  {
    provider: "Clerk",
    what: "of another origin",
    claims: { azp: "https://another.example.com" },
    expected: ANOTHER_AUDIENCE,
  },
  {
    provider: "Clerk",
    what: "without an origin",
    claims: { azp: undefined },
    expected: ANOTHER_AUDIENCE,
  },
  {
    provider: "WorkOS",
    what: "with the role of the highest priority",
    context: { roleClaim: "role", roleMapping: '{"member":"admin"}' },
    claims: {},
    expected: { role: "admin" },
  },
  {
    provider: "WorkOS",
    what: "without a JWT template",
    claims: { aud: undefined },
    expected: ANOTHER_AUDIENCE,
  },
];
