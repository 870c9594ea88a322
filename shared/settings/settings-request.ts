/** The body of PUT …/settings. Apart from settings.ts, because only the functions of settings need it. */
import * as z from "zod/mini";
import { RecordType } from "../records/record.ts";
import { Cidr } from "../terms/cidr-text.ts";
import { drillRhythms } from "./settings.ts";

const MAX_CIDRS = 100;
const CIDRS_EXPECTED = `expected a list of at most ${MAX_CIDRS} CIDRs`;
const TYPES_EXPECTED = "expected a list of record types";

const types = z.array(RecordType, { error: TYPES_EXPECTED }).check(z.maxLength(16, { error: TYPES_EXPECTED }));

const allowlist = z.array(Cidr, { error: CIDRS_EXPECTED }).check(z.maxLength(MAX_CIDRS, { error: CIDRS_EXPECTED }));

/** It replaces all settings; a missing field gets its default. */
export const SettingsRequest = z
  .object({
    ipAllowlist: z._default(allowlist, []),
    recordAccess: z._default(z.object({ member: z._default(types, []), guest: z._default(types, []) }), {
      member: [],
      guest: [],
    }),
    siemFeed: z._default(z.boolean({ error: "expected true or false" }), false),
    accountActivity: z._default(z.boolean({ error: "expected true or false" }), true),
    drill: z._default(z.enum(drillRhythms, { error: `expected one of ${drillRhythms.join(", ")}` }), "off"),
  })
  .register(z.globalRegistry, { id: "SettingsRequest", description: "The settings that replace all present ones." });
