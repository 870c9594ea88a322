/** The security event of an entry of the account's activity at the provider. Pure. */
import type { AccountActivity } from "../provider/provider.ts";
import type { NewSecurityEvent } from "../security/security-event.ts";

/**
 * What changes who may use the account, or where its money and events go, is MEDIUM; everything else, types of later
 * versions too, is LOW. What is suspicious about several entries is for the rules to say.
 */
const MEDIUM_KINDS: readonly unknown[] = [
  "api_key",
  "user_invite",
  "user_roles",
  "sso",
  "scim",
  "payout",
  "event_destination",
  "account_security",
];

export const activityEvent = (
  { organizationId, accountId }: { organizationId: string; accountId: string },
  { id, type, occurredAt, actor, details }: AccountActivity,
): NewSecurityEvent => ({
  eventType: "PROVIDER_ACCOUNT_ACTIVITY",
  category: "security",
  riskLevel: MEDIUM_KINDS.includes(details.type) ? "MEDIUM" : "LOW",
  source: "provider",
  organizationId,
  resource: accountId,
  resourceType: "provider_account",
  action: type,
  success: true,
  metadata: { activityId: id, type, occurredAt, actor, details },
});
