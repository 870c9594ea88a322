/** An organization's settings: who may come from where, and which roles may read what. Decisions: docs/settings.md. */
import * as z from "zod/mini";
import { RecordType } from "../records/record.ts";
import { Cidr } from "./cidr.ts";

const MAX_CIDRS = 100;
const CIDRS_EXPECTED = `expected a list of at most ${MAX_CIDRS} CIDRs`;
const TYPES_EXPECTED = "expected a list of record types";

/** The roles that read only what the settings say. */
export const restrictedRoles = ["member", "guest"] as const;
export type RestrictedRole = (typeof restrictedRoles)[number];

const types = z.array(RecordType, { error: TYPES_EXPECTED }).check(z.maxLength(16, { error: TYPES_EXPECTED }));

const allowlist = z.array(Cidr, { error: CIDRS_EXPECTED }).check(z.maxLength(MAX_CIDRS, { error: CIDRS_EXPECTED }));

/** What PUT …/settings takes: it replaces all, and a missing field is its default. */
export const SettingsRequest = z.object({
  ipAllowlist: z._default(allowlist, []),
  recordAccess: z._default(z.object({ member: z._default(types, []), guest: z._default(types, []) }), {
    member: [],
    guest: [],
  }),
});

export const Settings = z
  .object({
    ipAllowlist: z.array(z.string()).register(z.globalRegistry, {
      description: "The networks (IPv4 and IPv6 CIDRs) that may call; empty means everyone.",
    }),
    recordAccess: z.object({ member: z.array(RecordType), guest: z.array(RecordType) }),
  })
  .register(z.globalRegistry, { id: "Settings", description: "What an organization decided for its integration." });
export type Settings = z.output<typeof Settings>;

export const defaultSettings: Settings = { ipAllowlist: [], recordAccess: { member: [], guest: [] } };
