/** What a caller may do, by role. Decisions: docs/decisions.md, "Roles". */

/** The roles within an organization, the most powerful first. An unknown value in a token counts as `guest`. */
export const roles = ["admin", "billing", "member", "guest"] as const;
export type Role = (typeof roles)[number];

const everyone: readonly Role[] = roles;
const administrators: readonly Role[] = ["admin"];

const rolesByPermission = {
  "self:read": everyone,
  // Plants need only a valid token: the caller's scope determines which plants the caller can access.
  "plants:read": everyone,
  "plants:write": everyone,
  // Members and guests read the record types that their organization's settings name (shared/http/admit.ts).
  "records:read": everyone,
  "status:read": ["admin", "billing", "member"],
  "connection:manage": ["admin", "billing"],
  "sync:run": ["admin", "billing"],
  "breaker:control": administrators,
  "security:read": administrators,
  "security:manage": administrators,
  "settings:manage": administrators,
  "erasure:request": administrators,
} as const satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof rolesByPermission;

export const isPermission = (text: string): text is Permission => Object.hasOwn(rolesByPermission, text);

/** Permissions that a caller without an organization can have. */
export type PersonalPermission = Extract<Permission, `plants:${string}`>;

/** The permissions that roles of an organization differ in, or may differ in by its settings. */
export const integrationPermissions = [
  "records:read",
  "status:read",
  "connection:manage",
  "sync:run",
  "breaker:control",
  "security:read",
  "security:manage",
  "settings:manage",
  "erasure:request",
] as const satisfies readonly Permission[];

export const rolesWith = (permission: Permission): readonly Role[] => rolesByPermission[permission];

/** Whether a permission needs an organization, as all permissions of the integration do. */
export const needsOrganization = (permission: Permission | "link"): boolean => !permission.startsWith("plants:");
