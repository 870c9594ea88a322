/** The caller that a verified token names. Decisions: docs/decisions.md, "Callers". */
import * as z from "zod/mini";
import { type Role, roles } from "./permissions.ts";

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
};

/** A caller on an endpoint that needs an organization. */
export type OrganizationCaller = Caller & { organizationId: string };

export type ClaimNames = { organization: string; role: string };

/** 1–128 printable characters without space: no control, format, private or separator characters. */
const identifier = z.string().check(z.regex(/^[^\p{C}\p{Z}]{1,128}$/u));

const Claims = z.object({ sub: identifier, organization: z.optional(identifier), sid: z.optional(identifier) });

/**
 * The caller that the claims of a verified token describe.
 * @returns undefined if `sub`, organization or `sid` is malformed. A malformed organization never counts as no organization.
 */
export const parseCaller = (payload: Readonly<Record<string, unknown>>, names: ClaimNames): Caller | undefined => {
  const result = Claims.safeParse({ sub: payload.sub, organization: payload[names.organization], sid: payload.sid });
  if (!result.success) return undefined;
  const { sub, organization, sid } = result.data;
  return {
    userId: sub,
    organizationId: organization,
    role: roles.find((role) => role === payload[names.role]) ?? "guest",
    sessionId: sid,
    scope: organization === undefined ? `user:${sub}` : `org:${organization}`,
  };
};
