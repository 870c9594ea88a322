/**
 * A user tries what the role does not allow, one thing after another.
 *
 * Reads: PERMISSION_DENIED of source `user` that names the permission. An address that is not allowed lacks no
 *   permission, and is a violation of policy.
 * Group: `user:…`. Threshold, window: 3 distinct permissions in 60 min; `records:read` is one whatever the type.
 *   One denied change of breaker or settings, or one id of another organization, is enough, and no part of the three. It
 *   is found when it happens, and marked; the hour finds what was recorded unmarked.
 * Deduplication: one finding per user and hour.
 * Severity: HIGH, as a denied request is; CRITICAL for an id of another organization, which nobody comes by honestly.
 * Reason: trying one function after another is how broken authorization is looked for
 *   (https://owasp.org/API-Security/editions/2023/en/0xa5-broken-function-level-authorization/, and
 *   https://attack.mitre.org/tactics/TA0004/). Distinct, so that a deployment that retries one call stays quiet: Sigma's
 *   value_count, rather than its event_count
 *   (https://github.com/SigmaHQ/sigma-specification/blob/main/specification/sigma-correlation-rules-specification.md).
 */
import { catalogueEntry } from "../../terms/error-catalogue.ts";
import { HOUR_MS } from "../../terms/hours.ts";
import type { Fact } from "./fact.ts";
import { findingOfHour, isIn, listed, recent } from "./make-finding.ts";
import { FOREIGN_TITLE, isForeignId } from "./policy-violation.ts";
import type { Hour, Rule } from "./rule.ts";
import { groupBy, slide } from "./sliding-window.ts";

const rule = "permission_escalation";

export const DENIED = { threshold: 3, windowMs: HOUR_MS } as const;

const ADDRESS_REFUSED = String(catalogueEntry("ip_address_not_allowed").number);

/** Changing these is what somebody tries who wants to be more than they are. */
export const WATCHED_PERMISSIONS: readonly string[] = ["breaker:control", "settings:manage"];

const SEVERAL_TITLE = "A user was denied one permission after another";
export const CHANGE_TITLE = "A user was denied a change of the circuit breaker or of the settings";

const isDenial = ({ type, source, userId, permission, errorCode }: Fact): boolean =>
  type === "PERMISSION_DENIED" &&
  source === "user" &&
  userId !== undefined &&
  permission !== undefined &&
  errorCode !== ADDRESS_REFUSED;

/** An action begins with the request's method. */
const isDeniedChange = ({ permission = "", action = "" }: Fact): boolean =>
  WATCHED_PERMISSIONS.includes(permission) && !action.startsWith("get_");

const isEnough = (denial: Fact): boolean => isForeignId(denial) || isDeniedChange(denial);

const isOneOfSeveral = (fact: Fact): boolean => isDenial(fact) && !isEnough(fact);

const permissionOf = ({ permission = "" }: Fact): string =>
  permission.startsWith("records:read") ? "records:read" : permission;

/** The latest denial of each permission in each window that has enough of them and ends in the hour. */
const evidenceOf = (denials: readonly Fact[], hour: Hour): Fact[] => {
  const evidence = new Set<Fact>();
  const latest = new Map<string, Fact>();
  const tally = {
    add: (fact: Fact) => latest.set(permissionOf(fact), fact),
    remove: (fact: Fact) => latest.get(permissionOf(fact)) === fact && latest.delete(permissionOf(fact)),
  };
  slide(denials, DENIED.windowMs, tally, ({ at }) => {
    if (latest.size < DENIED.threshold || !isIn(hour, at)) return;
    for (const fact of latest.values()) evidence.add(fact);
  });
  return denials.filter((fact) => evidence.has(fact));
};

export const permissionEscalation: Rule = {
  id: rule,
  version: 1,
  /** The latest denial of each permission is all that a later window can make use of. */
  carries: ({ facts, hour }) => {
    const denials = recent(facts.filter(isOneOfSeveral), hour, DENIED.windowMs);
    const latest = new Map(denials.map((fact) => [`${permissionOf(fact)} ${fact.userId}`, fact]));
    return denials.filter((fact) => latest.get(`${permissionOf(fact)} ${fact.userId}`) === fact);
  },
  judge: ({ facts, hour }) =>
    [...groupBy(facts.filter(isDenial), ({ userId }) => userId)].flatMap(([user, denials]) => {
      const several = evidenceOf(denials.filter(isOneOfSeveral), hour);
      const alone = denials.filter((fact) => isEnough(fact) && fact.judgedAtOnce !== true && isIn(hour, fact.at));
      const found = new Set([...several, ...alone]);
      if (found.size === 0) return [];
      const evidence = denials.filter((fact) => found.has(fact));
      const isForeign = alone.some(isForeignId);
      return [
        findingOfHour(hour, evidence, {
          rule,
          subject: `user:${user}`,
          title: isForeign ? FOREIGN_TITLE : several.length > 0 ? SEVERAL_TITLE : CHANGE_TITLE,
          level: isForeign ? "CRITICAL" : "HIGH",
          evidence: {
            count: evidence.length,
            permissions: listed(evidence.map(permissionOf)),
            ...(several.length > 0 ? DENIED : { threshold: 1 }),
          },
        }),
      ];
    }),
};
