/** What a caller may do, by role. Decisions: docs/decisions.md, "Roles". */

/** The roles within an organization. An unknown value in a token counts as `guest`. */
export const roles = ["admin", "billing", "member", "guest"] as const;
export type Role = (typeof roles)[number];

const everyone: readonly Role[] = roles;

/** Plants need a valid token only: whose plants they are follows from the caller's scope. */
const rolesByPermission = {
  "plants:read": everyone,
  "plants:write": everyone,
} as const satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof rolesByPermission;

export const rolesWith = (permission: Permission): readonly Role[] => rolesByPermission[permission];
