/**
 * An organization's settings: the networks that may call, the record types that roles may read, the feed for a SIEM,
 * whether the account's activity at the provider is read, and whether there is a fire drill each month.
 * docs/settings.md.
 */
import * as z from "zod/mini";
import { RecordType } from "../records/record.ts";
import { RequestOrigin } from "../terms/requester.ts";

/** Whether the service starts a fire drill of the alarms by itself (shared/drills/). */
export const drillRhythms = ["off", "monthly"] as const;

/** Roles that may read only the record types in the settings. */
export const restrictedRoles = ["member", "guest"] as const;

export const Settings = z
  .object({
    ipAllowlist: z.array(z.string()).register(z.globalRegistry, {
      description: "The networks (IPv4 and IPv6 CIDRs) that may call. If empty, every address may call.",
    }),
    recordAccess: z.object({ member: z.array(RecordType), guest: z.array(RecordType) }),
    siemFeed: z.boolean().register(z.globalRegistry, {
      description:
        "Whether the events of each closed hour are written to the deployment's bucket for a SIEM, if it has one.",
    }),
    accountActivity: z.boolean().register(z.globalRegistry, {
      description:
        "Whether what happens to the account at the provider is read every hour, and kept as security events.",
    }),
    drill: z.enum(drillRhythms).register(z.globalRegistry, {
      description: "`monthly`: a fire drill of the alarms starts on the first Monday of each month at 10:00 UTC.",
    }),
  })
  .register(z.globalRegistry, { id: "Settings", description: "The settings of an organization's integration." });
export type Settings = z.output<typeof Settings>;

export const defaultSettings: Settings = {
  ipAllowlist: [],
  recordAccess: { member: [], guest: [] },
  siemFeed: false,
  accountActivity: true,
  drill: "off",
};

/** Settings as they are stored; older ones have no `siemFeed`, `accountActivity` and `drill`. */
export const StoredSettings = z.extend(Settings, {
  siemFeed: z._default(z.boolean(), defaultSettings.siemFeed),
  accountActivity: z._default(z.boolean(), defaultSettings.accountActivity),
  drill: z._default(z.enum(drillRhythms), defaultSettings.drill),
});

/** A change of settings: who made it, when (epoch ms), from where, and the settings before it. */
export const SettingsChange = z.object({
  before: StoredSettings,
  at: z.int(),
  userId: z.string(),
  ...RequestOrigin.shape,
});
export type SettingsChange = z.output<typeof SettingsChange>;
