/** Who a caller is and what the caller may do: the answer of GET …/me. */
import * as z from "zod/mini";
import { integer } from "../json/number-fields.ts";
import type { OrganizationCaller } from "../terms/caller.ts";
import { integrationPermissions, roles, rolesWith } from "../terms/permissions.ts";
import { riskLevels } from "../terms/risk-levels.ts";
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
    ipAddress: z.string().register(z.globalRegistry, {
      description: "The caller's address, as the IP allowlist and security events see it.",
    }),
    deployment: z
      .object({
        retentionDays: integer("How long security events, their statistics, alerts and sync runs are kept."),
        alertThreshold: z.enum(riskLevels),
        securityLogLevel: z.enum(riskLevels),
      })
      .register(z.globalRegistry, {
        description:
          "Settings of the deployment: events below `securityLogLevel` are not recorded, events from `alertThreshold` on raise an alert.",
      }),
    roleNote: z.optional(z.string()).register(z.globalRegistry, {
      description: "Only if the token names no known role: the claim that was looked for.",
    }),
  })
  .register(z.globalRegistry, {
    id: "CallerAccess",
    description: "The caller of a token, the caller's permissions and address, and settings of the deployment.",
  });
type CallerAccess = z.output<typeof CallerAccess>;

/** What follows from the token and the organization's settings. */
export const describeCaller = (
  caller: OrganizationCaller,
  settings: Settings,
): Omit<CallerAccess, "ipAddress" | "deployment"> => {
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
