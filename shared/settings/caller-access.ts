/** Who a caller is and what the caller may do: the answer of GET …/me. */
import * as z from "zod/mini";
import { integer } from "../json/number-fields.ts";
import { RecordType, recordTypes } from "../records/record.ts";
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
    recordTypes: z.array(RecordType).register(z.globalRegistry, {
      description: "The types of records that the caller may read. Settings restrict members and guests.",
    }),
    ipAddress: z.string().register(z.globalRegistry, {
      description: "The caller's address, as the IP allowlist and security events see it.",
    }),
    deployment: z
      .object({
        retentionDays: integer("How long security events, their statistics, alerts and sync runs are kept."),
        alertThreshold: z.enum(riskLevels),
        securityLogLevel: z.enum(riskLevels),
        siemFeed: z.boolean(),
      })
      .register(z.globalRegistry, {
        description:
          "Settings of the deployment: events below `securityLogLevel` are not recorded, events from `alertThreshold` on raise an alert; `siemFeed`: whether it has the feed that the organization's settings switch on.",
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
  const allowed = integrationPermissions.filter((permission) => rolesWith(permission).includes(role));
  const readable = readableTypes(settings, role);
  const types = recordTypes.filter((type) => allowed.includes("records:read") && (readable?.includes(type) ?? true));
  return {
    userId,
    organizationId,
    role,
    permissions: allowed.filter((permission) => permission !== "records:read" || types.length > 0),
    recordTypes: types,
    ...(missing?.role !== undefined && { roleNote: missing.role }),
  };
};
