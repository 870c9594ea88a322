/**
 * A user tries actions that their role does not allow, one after another.
 *
 * Reads: PERMISSION_DENIED of source `user` that names the permission. A blocked address lacks no permission; it is a
 *   policy violation.
 * Group: `user:…`. Threshold, window: 3 distinct permissions in 60 min; `records:read` is one whatever the record type.
 *   One denied change of the breaker or the settings, or one id of another organization, is enough by itself, and does not
 *   count among the three. Each is found when it happens, and marked; the hour finds those that were recorded unmarked.
 * Deduplication: one finding per user and hour.
 * Severity: HIGH, as a denied request is; CRITICAL for an id of another organization: no honest user has one.
 * Reason: trying one function after another is how broken authorization is looked for
 *   (https://owasp.org/API-Security/editions/2023/en/0xa5-broken-function-level-authorization/, and
 *   https://attack.mitre.org/tactics/TA0004/). Distinct permissions, so that a client that retries one call is no finding:
 *   Sigma's value_count, rather than its event_count
 *   (https://github.com/SigmaHQ/sigma-specification/blob/main/specification/sigma-correlation-rules-specification.md).
 */
import { catalogueEntry } from "../../terms/error-catalogue.ts";
import { MINUTE_MS } from "../../terms/hours.ts";
import { type Fact, isBlockedAddress, isForeignId } from "../evidence/fact.ts";
import { groupBy, type Hour, isIn, recent, slide } from "../evidence/windows.ts";
import { type Advice, findingOfHour, findingOfRefusal, listed, type Rule } from "./rule.ts";
import { minutes, type ThresholdValues, valuesOf } from "./thresholds.ts";

const rule = "permission_escalation";

const thresholds = {
  permissions: { default: 3, min: 2, max: 8, unit: "distinct permissions" },
  windowMinutes: minutes(60, 5),
} as const;

const limitsOf = (set: ThresholdValues | undefined) => {
  const { permissions, windowMinutes } = valuesOf(thresholds, set);
  return { threshold: permissions, windowMs: windowMinutes * MINUTE_MS };
};

const kinds = {
  several: { subject: "user:", title: "A user was denied several permissions", level: "HIGH" },
  change: {
    subject: "user:",
    title: "A user tried to change the circuit breaker or the settings without permission",
    level: "HIGH",
  },
  foreign: { subject: "user:", title: "A user sent a cursor or a state of another organization", level: "CRITICAL" },
} as const;

/** The permissions that one denied change of is enough. */
const WATCHED_PERMISSIONS: readonly string[] = ["breaker:control", "settings:manage"];

const ROLE_MAY_NOT = String(catalogueEntry("role_may_not").number);

const isDenial = (fact: Fact): boolean =>
  fact.type === "PERMISSION_DENIED" &&
  fact.source === "user" &&
  fact.userId !== undefined &&
  fact.permission !== undefined &&
  !isBlockedAddress(fact);

/** An action starts with the request's method. */
const isChange = (action: string): boolean => !action.startsWith("get_");

const isDeniedChange = ({ permission = "", action = "" }: Fact): boolean =>
  WATCHED_PERMISSIONS.includes(permission) && isChange(action);

const isEnough = (denial: Fact): boolean => isForeignId(denial) || isDeniedChange(denial);

const isOneOfSeveral = (fact: Fact): boolean => isDenial(fact) && !isEnough(fact);

const permissionOf = ({ permission = "" }: Fact): string =>
  permission.startsWith("records:read") ? "records:read" : permission;

/** The latest denial of each permission, in each window that has enough permissions and ends in the hour. */
const evidenceOf = (
  denials: readonly Fact[],
  hour: Hour,
  { threshold, windowMs }: ReturnType<typeof limitsOf>,
): Fact[] => {
  const evidence = new Set<Fact>();
  const latest = new Map<string, Fact>();
  const tally = {
    add: (fact: Fact) => latest.set(permissionOf(fact), fact),
    remove: (fact: Fact) => latest.get(permissionOf(fact)) === fact && latest.delete(permissionOf(fact)),
  };
  slide(denials, windowMs, tally, ({ at }) => {
    if (latest.size < threshold || !isIn(hour, at)) return;
    for (const fact of latest.values()) evidence.add(fact);
  });
  return denials.filter((fact) => evidence.has(fact));
};

export const permissionEscalationAdvice: Advice = {
  level: "HIGH",
  action: "Check which roles the users concerned need, and what they were looking for.",
};

export const permissionEscalation = {
  id: rule,
  version: 1,
  kinds,
  thresholds,
  /** A later window uses only the latest denial of each permission. */
  carries: ({ facts, hour }, set) => {
    const denials = recent(facts.filter(isOneOfSeveral), hour, limitsOf(set).windowMs);
    const latest = new Map(denials.map((fact) => [`${permissionOf(fact)} ${fact.userId}`, fact]));
    return denials.filter((fact) => latest.get(`${permissionOf(fact)} ${fact.userId}`) === fact);
  },
  judge: ({ facts, hour }, set) =>
    [...groupBy(facts.filter(isDenial), ({ userId }) => userId)].flatMap(([user, denials]) => {
      const several = evidenceOf(denials.filter(isOneOfSeveral), hour, limitsOf(set));
      const single = denials.filter((fact) => isEnough(fact) && fact.judgedAtOnce !== true && isIn(hour, fact.at));
      const found = new Set([...several, ...single]);
      if (found.size === 0) return [];
      const evidence = denials.filter((fact) => found.has(fact));
      return [
        findingOfHour(hour, evidence, {
          rule,
          kind: single.some(isForeignId) ? kinds.foreign : several.length > 0 ? kinds.several : kinds.change,
          id: user,
          evidence: {
            count: evidence.length,
            permissions: listed(evidence.map(permissionOf)),
            ...(several.length > 0 ? limitsOf(set) : { threshold: 1 }),
          },
        }),
      ];
    }),
  judgeRefusal: (refused) => {
    const { errorCode, action, permission, ipAddress, userId } = refused;
    const about = (kind: (typeof kinds)[keyof typeof kinds]) =>
      userId === undefined ? { kind: { ...kind, subject: "address:" }, id: ipAddress } : { kind, id: userId };
    if (refused.namesOtherOrganization) {
      const evidence = { count: 1, permission, address: ipAddress };
      return findingOfRefusal(refused, { rule, ...about(kinds.foreign), evidence });
    }
    if (errorCode !== ROLE_MAY_NOT || !isChange(action) || !WATCHED_PERMISSIONS.includes(permission)) return undefined;
    const evidence = { count: 1, permissions: [permission] };
    return findingOfRefusal(refused, { rule, ...about(kinds.change), evidence });
  },
} satisfies Rule;
