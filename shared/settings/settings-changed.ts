/** The security event of a change of settings: who, and which parts were what and are what now. Pure. */
import * as z from "zod/mini";
import type { NewSecurityEvent } from "../security/security-event.ts";
import { restrictedRoles, Settings } from "./settings.ts";

/** Who changed the settings, when (epoch ms) and whence, and what they were before. */
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

/** An event's metadata has 2 KB: a longer list is told by what came and what went. */
const MAX_WHOLE_BYTES = 1_200;

type List = readonly string[];

const isSame = (before: List, after: List): boolean =>
  before.length === after.length && before.every((one, index) => one === after[index]);

const difference = (from: List, to: List): Record<string, List> => {
  const whole = { from, to };
  if (Buffer.byteLength(JSON.stringify(whole)) <= MAX_WHOLE_BYTES) return whole;
  return { added: to.filter((one) => !from.includes(one)), removed: from.filter((one) => !to.includes(one)) };
};

/** The lists that settings are made of, by the names that an event calls them. */
const listsOf = ({ ipAllowlist, recordAccess }: Settings): [name: string, list: List][] => [
  ["ipAllowlist", ipAllowlist],
  ...restrictedRoles.map((role): [string, List] => [`recordAccess.${role}`, recordAccess[role]]),
];

const differences = (before: Settings, after: Settings): Record<string, Record<string, List>> => {
  const now = new Map(listsOf(after));
  return Object.fromEntries(
    listsOf(before).flatMap(([name, from]) => {
      const to = now.get(name) ?? [];
      return isSame(from, to) ? [] : [[name, difference(from, to)]];
    }),
  );
};

/** Whether settings differ in anything; another order or a repetition is a difference, since they are kept as sent. */
export const hasChanged = (before: Settings, after: Settings): boolean =>
  Object.keys(differences(before, after)).length > 0;

export const settingsChangedEvent = (
  organizationId: string,
  { before, userId, sessionId, requestId, ipAddress, userAgent }: SettingsChange,
  after: Settings,
): NewSecurityEvent => ({
  eventType: "SETTINGS_CHANGED",
  category: "compliance",
  riskLevel: "MEDIUM",
  source: "user",
  organizationId,
  userId,
  ...(sessionId !== undefined && { sessionId }),
  ipAddress,
  ...(userAgent !== undefined && { userAgent }),
  resource: "settings",
  resourceType: "provider_account",
  action: "change_settings",
  success: true,
  metadata: { requestId, ...differences(before, after) },
});
