/**
 * Findings that come the moment their cause does. What is found here is marked in its event (`judgedAtOnce`), so that the
 * hourly rules do not count it again. Pure.
 */
import type { Finding } from "../security/alerts/finding.ts";
import { CHANGE_TITLE, WATCHED_PERMISSIONS } from "./rules/permission-escalation.ts";
import { BLOCKED_TITLE, FOREIGN_TITLE } from "./rules/policy-violation.ts";

/** A request that was refused, and its event. `userId`, `permission`: as far as known; `at`: epoch ms. */
export type RefusedRequest = {
  eventId: string;
  at: number;
  code: string;
  method: string;
  permission: string;
  ipAddress: string;
  userId: string | undefined;
  /** It had a cursor or a state that was given to another organization. */
  namesOther: boolean;
};

type Said = Pick<Finding, "rule" | "subject" | "title" | "level"> & { details?: Record<string, unknown> };

const findingOf = ({ eventId, at }: RefusedRequest, { details, ...said }: Said): Finding => ({
  ...said,
  occurrence: eventId,
  eventIds: [eventId],
  evidence: { count: 1, threshold: 1, ...details },
  firstSeen: at,
  lastSeen: at,
});

const isDeniedChange = ({ code, method, permission }: RefusedRequest): boolean =>
  code === "role_may_not" && method !== "GET" && WATCHED_PERMISSIONS.includes(permission);

/**
 * What a refusal means by itself, if anything: a denied change of breaker or settings; a call from a blocked address; a
 * genuine cursor or state of another organization, which is both an attempt to get further and against all policy.
 * The other organization is not named.
 */
export const findingsOfRefusal = (refused: RefusedRequest): Finding[] => {
  const { code, permission, ipAddress, userId, namesOther } = refused;
  const subject = userId === undefined ? `address:${ipAddress}` : `user:${userId}`;
  if (namesOther) {
    const details = { permission, address: ipAddress };
    const title = FOREIGN_TITLE;
    return [
      findingOf(refused, { rule: "permission_escalation", subject, title, level: "CRITICAL", details }),
      findingOf(refused, { rule: "policy_violation", subject, title, level: "HIGH", details }),
    ];
  }
  if (code === "ip_address_not_allowed") {
    const details = { users: userId === undefined ? [] : [userId] };
    const said = { rule: "policy_violation", subject: `address:${ipAddress}`, title: BLOCKED_TITLE } as const;
    return [findingOf(refused, { ...said, level: "HIGH", details })];
  }
  if (!isDeniedChange(refused)) return [];
  const details = { permissions: [permission] };
  const said = { rule: "permission_escalation", subject, title: CHANGE_TITLE, level: "HIGH" } as const;
  return [findingOf(refused, { ...said, details })];
};
