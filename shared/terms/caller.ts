/** The caller that a verified token names. Decisions: docs/decisions.md, "Callers". */
import { type ClaimSettings, type Claims, findClaim, onlyElement, strongestRole } from "./claims.ts";
import type { Role } from "./permissions.ts";

/** The owner of a caller's plants: `org:<id>` for an organization, `user:<id>` for a user without an organization. */
export type Scope = `org:${string}` | `user:${string}`;

/** Whether a scope is an organization's. */
export const namesOrganization = (scope: string | undefined): boolean => scope?.startsWith("org:") ?? false;

export type Caller = {
  userId: string;
  organizationId: string | undefined;
  role: Role;
  /** The caller's session: the claim `sid`, if the token has it. */
  sessionId: string | undefined;
  scope: Scope;
  /** Sentences for refusals: about the organization if the token names none, about the role if it names no known one. */
  missing?: { organization?: string; role?: string };
};

/** A caller on an endpoint that needs an organization. */
export type OrganizationCaller = Caller & { organizationId: string };

/** 1–128 printable characters without space: no control, format, private or separator characters. */
export const isIdentifier = (value: unknown): value is string =>
  typeof value === "string" && /^[^\p{C}\p{Z}]{1,128}$/u.test(value);

/** The organization is a segment of the webhook's path, which clients and proxies would shorten by these segments. */
export const isOrganization = (value: unknown): value is string =>
  isIdentifier(value) && value !== "." && value !== "..";

const missingOrganization = (claim: string) => `The token names no organization: it has no claim ${claim}.`;

/** A missing or unknown role counts as guest. */
const missingRole = (value: unknown, claim: string): string =>
  value === undefined
    ? `The token has no claim ${claim}, so the role counts as guest.`
    : `The token's claim ${claim} has no known role, so the role counts as guest.`;

/**
 * The caller that the claims of a verified token describe, or the name of the claim that is malformed. A malformed
 * organization never counts as no organization.
 */
export const parseCaller = (
  payload: Claims,
  settings: ClaimSettings,
): { caller: Caller; malformed?: never } | { caller?: never; malformed: string } => {
  const { sub, sid } = payload;
  const organization = onlyElement(findClaim(payload, settings.organization));
  if (!isIdentifier(sub)) return { malformed: "sub" };
  if (sid !== undefined && !isIdentifier(sid)) return { malformed: "sid" };
  if (organization !== undefined && !isOrganization(organization)) return { malformed: settings.organization };
  const roleClaim = findClaim(payload, settings.role);
  const role = strongestRole(roleClaim, settings);
  const missing = {
    ...(organization === undefined && { organization: missingOrganization(settings.organization) }),
    ...(role === undefined && { role: missingRole(roleClaim, settings.role) }),
  };
  return {
    caller: {
      userId: sub,
      organizationId: organization,
      role: role ?? "guest",
      sessionId: sid,
      scope: organization === undefined ? `user:${sub}` : `org:${organization}`,
      ...(Object.keys(missing).length > 0 && { missing }),
    },
  };
};
