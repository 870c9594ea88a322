/** An organization's settings: the networks that may call, and the record types that roles may read. docs/settings.md. */
import * as z from "zod/mini";
import { RecordType } from "../records/record.ts";

/** Roles that may read only the record types in the settings. */
export const restrictedRoles = ["member", "guest"] as const;

export const Settings = z
  .object({
    ipAllowlist: z.array(z.string()).register(z.globalRegistry, {
      description: "The networks (IPv4 and IPv6 CIDRs) that may call. If empty, every address may call.",
    }),
    recordAccess: z.object({ member: z.array(RecordType), guest: z.array(RecordType) }),
  })
  .register(z.globalRegistry, { id: "Settings", description: "The settings of an organization's integration." });
export type Settings = z.output<typeof Settings>;

export const defaultSettings: Settings = { ipAllowlist: [], recordAccess: { member: [], guest: [] } };

/** A change of settings: who made it, when (epoch ms), from where, and the settings before it. */
export const SettingsChange = z.object({
  before: Settings,
  at: z.int(),
  userId: z.string(),
  sessionId: z.optional(z.string()),
  requestId: z.string(),
  ipAddress: z.string(),
  userAgent: z.optional(z.string()),
});
export type SettingsChange = z.output<typeof SettingsChange>;
