/** Who a caller is and what the caller may do: the answer of GET …/me. */
import * as z from "zod/mini";
import type { OrganizationCaller } from "../terms/caller.ts";
import { integrationPermissions, roles, rolesWith } from "../terms/permissions.ts";
import { readableTypes } from "./record-access.ts";
import type { Settings } from "./settings.ts";

export const CallerAccess = z
  .object({
    userId: z.string(),
    organizationId: z.string(),
    role: z.enum(roles),
    permissions: z.array(z.enum(integrationPermissions)).register(z.globalRegistry, {
      description:
        "What the role permits; `records:read` only if the settings allow the role at least one record type.",
    }),
    roleNote: z.optional(z.string()).register(z.globalRegistry, {
      description: "Only if the token names no known role: the claim that was looked for.",
    }),
  })
  .register(z.globalRegistry, {
    id: "CallerAccess",
    description: "The caller of a token, and the caller's permissions.",
  });
type CallerAccess = z.output<typeof CallerAccess>;

export const describeCaller = (caller: OrganizationCaller, settings: Settings): CallerAccess => {
  const { userId, organizationId, role, missing } = caller;
  return {
    ...{ userId, organizationId, role },
    permissions: integrationPermissions.filter(
      (permission) =>
        rolesWith(permission).includes(role) &&
        (permission !== "records:read" || readableTypes(settings, role)?.length !== 0),
    ),
    ...(missing?.role !== undefined && { roleNote: missing.role }),
  };
};
