/**
 * PUT …/detection/rules/{rule}. Every change leaves exactly one security event: the write that makes a change also stores
 * it in the item, until its event is recorded, and the alert is resolved of a rule that is on again. If the instance crashes
 * in between, the next PUT does the rest.
 */
import { definedFields } from "../json/defined-fields.ts";
import { encodeJson } from "../json/encode-json.ts";
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { writeLog } from "../runtime/log.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { RULE_OFF_RULE } from "../security/alerts/alert.ts";
import type { ResolveCause } from "../security/alerts/alert-resolver.ts";
import { attackByRule } from "../security/alerts/attack-by-rule.ts";
import { type BuiltInRule, builtInRules } from "../security/alerts/finding.ts";
import { identityOf } from "../security/event-id.ts";
import type { Recorder } from "../security/recorder.ts";
import type { NewSecurityEvent } from "../security/security-event.ts";
import { requesterFields, requesterOf, type UserRequest } from "../terms/requester.ts";
import type { DetectionRule, DetectionRuleRequest } from "./rule-request.ts";
import { type RevisedSettings, type RuleSettings, type RulesSettings, settingsOf } from "./rule-settings.ts";
import type { RuleChange, RuleSettingsStore } from "./rule-settings-store.ts";
import { describeThresholds } from "./rules/rules.ts";

/** A rule as clients see it. */
const describeRule = (rule: BuiltInRule, settings: RevisedSettings): DetectionRule => {
  const { enabled, level, thresholds, known, revision } = settings;
  return {
    rule,
    enabled,
    ...definedFields({ level }),
    thresholds: describeThresholds(rule, thresholds),
    known,
    attack: [...attackByRule[rule]],
    revision,
  };
};

/** All built-in rules with an organization's settings. */
export const describeRules = (all: RulesSettings): DetectionRule[] =>
  builtInRules.map((rule) => describeRule(rule, settingsOf(all, rule)));

/** @throws DomainError `rule_not_found`. */
const requireRule = (name: string): BuiltInRule => {
  const rule = builtInRules.find((one) => one === name);
  if (rule === undefined) throw new DomainError("rule_not_found", "There is no such rule.");
  return rule;
};

/** The thresholds that differ from their defaults. @throws DomainError `invalid_field`. */
const requireThresholds = (rule: BuiltInRule, requested: Readonly<Record<string, unknown>>): Record<string, number> => {
  const thresholds = describeThresholds(rule, {});
  const names = Object.keys(thresholds);
  return Object.fromEntries(
    Object.entries(requested).flatMap(([name, value]) => {
      const threshold = Object.hasOwn(thresholds, name) ? thresholds[name] : undefined;
      if (threshold === undefined) {
        const expected = names.length === 0 ? "none" : names.join(", ");
        throw new DomainError("invalid_field", `thresholds: unknown threshold, expected one of: ${expected}`);
      }
      const { min, max } = threshold;
      if (typeof value !== "number" || !Number.isInteger(value) || value < min || value > max) {
        throw new DomainError("invalid_field", `thresholds.${name}: expected an integer from ${min} to ${max}`);
      }
      return value === threshold.default ? [] : [[name, value] as const];
    }),
  );
};

/** The settings of a request. @throws DomainError `invalid_field`. */
export const requestedSettings = (
  rule: BuiltInRule,
  { enabled, level, thresholds = {}, known }: Omit<DetectionRuleRequest, "revision">,
): RuleSettings => ({
  enabled,
  ...definedFields({ level }),
  thresholds: requireThresholds(rule, thresholds),
  known,
});

/** Without the order of thresholds. Networks and users are stored as sent, so their order and repetitions count. */
const comparable = ({ enabled, level, thresholds, known }: RuleSettings): string =>
  encodeJson([enabled, level ?? null, Object.entries(thresholds).sort(), known.networks, known.users]);

const isSame = (a: RuleSettings, b: RuleSettings): boolean => comparable(a) === comparable(b);

const addedTo = (before: readonly string[], after: readonly string[]): string[] =>
  after.filter((one) => !before.includes(one));

/** What changed, for the event: values before and after, and the elements of lists that came and went. */
const differences = ({ before, after }: Pick<RuleChange, "before" | "after">) => {
  const lists = (["networks", "users"] as const).flatMap((name) => {
    const added = addedTo(before.known[name], after.known[name]);
    const removed = addedTo(after.known[name], before.known[name]);
    return added.length + removed.length === 0 ? [] : [[name, { added, removed }] as const];
  });
  const values = (["enabled", "level", "thresholds"] as const).flatMap((name) => {
    const [from, to] = [before[name] ?? null, after[name] ?? null];
    return encodeJson(from) === encodeJson(to) ? [] : [[name, { from, to }] as const];
  });
  return Object.fromEntries([...values, ...lists]);
};

const isSwitchedOff = ({ before, after }: RuleChange): boolean => before.enabled && !after.enabled;

const ruleChangedEvent = (organizationId: string, change: RuleChange): NewSecurityEvent => ({
  eventType: "DETECTION_RULE_CHANGED",
  category: "compliance",
  // HIGH makes it an alert of rule `detection_rule_off`.
  riskLevel: isSwitchedOff(change) ? "HIGH" : "MEDIUM",
  source: "user",
  organizationId,
  ...requesterFields(change),
  resource: change.rule,
  resourceType: "provider_account",
  action: "change_detection_rule",
  success: true,
  metadata: { requestId: change.requestId, revision: change.after.revision, ...differences(change) },
});

type RecordDependencies = {
  store: Pick<RuleSettingsStore, "forgetChange">;
  recorder: Pick<Recorder, "record">;
  resolve: ResolveCause;
};

/** Does what follows from a stored change, and forgets the change. Repeated, it records the same event. */
export const createRecordRuleChange =
  ({ store, recorder, resolve }: RecordDependencies) =>
  async (organizationId: string, version: string, change: RuleChange): Promise<void> => {
    const moment = { timestamp: change.at, identity: identityOf("rule", organizationId, version) };
    await recorder.record(ruleChangedEvent(organizationId, change), moment);
    if (change.after.enabled && !change.before.enabled) {
      await resolve(organizationId, { kind: "event", rule: RULE_OFF_RULE, subject: change.rule });
    }
    await store.forgetChange(organizationId, version).catch((error: unknown) => {
      writeLog("warn", "Marking a change of a rule as recorded failed", { cause: String(error) });
    });
  };

export type RecordRuleChange = ReturnType<typeof createRecordRuleChange>;

/** An item has at most 400 KB: the settings, and the change, which has those of one rule twice. */
const MAX_BYTES = 380_000;

/** Of several concurrent changes, one is written in each attempt. */
const MAX_ATTEMPTS = 10;

type Dependencies = RecordDependencies & {
  store: Pick<RuleSettingsStore, "readStored" | "replace" | "forgetChange">;
  now: Clock;
};

/**
 * The returned function replaces a rule's settings. The same request again changes nothing and leaves no event.
 * It throws DomainError `rule_not_found`, `invalid_field`, `revision_conflict` and `store_unavailable`.
 */
export const createChangeRule = (dependencies: Dependencies) => {
  const { store, now } = dependencies;
  const recordChange = createRecordRuleChange(dependencies);

  return async (name: string, body: DetectionRuleRequest, request: UserRequest): Promise<DetectionRule> => {
    const rule = requireRule(name);
    const requested = requestedSettings(rule, body);
    const { organizationId, userId } = request.caller;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (attempt > 0) await pauseBeforeRetry(attempt);
      const stored = await store.readStored(organizationId);
      if (stored.change !== undefined && stored.version !== undefined) {
        await recordChange(organizationId, stored.version, stored.change);
      }
      const before = settingsOf(stored.rules, rule);
      const isRepeated = isSame(before, requested) && body.revision === before.revision - 1;
      if (isRepeated || (isSame(before, requested) && body.revision === before.revision)) {
        return describeRule(rule, before);
      }
      if (body.revision !== before.revision) {
        const message = `The rule was changed: its revision is ${before.revision}. Read it, and send the change again.`;
        throw new DomainError("revision_conflict", message);
      }
      const after = { ...requested, revision: before.revision + 1 };
      const rules = { ...stored.rules, [rule]: after };
      const at = now();
      const requester = definedFields(requesterOf(request));
      const change: RuleChange = { rule, before, after, at, requestId: request.origin.requestId, ...requester };
      if (Buffer.byteLength(encodeJson(rules)) + Buffer.byteLength(encodeJson(change)) > MAX_BYTES) {
        throw new DomainError("invalid_field", "known: expected shorter lists; those of all rules are too long");
      }
      const author = { changedAt: at, changedBy: userId };
      const version = await store.replace(organizationId, rules, { version: stored.version, author, change });
      if (version === undefined) continue;
      await recordChange(organizationId, version, change);
      return describeRule(rule, after);
    }
    throw new DomainError("store_unavailable", "The rules are being changed by others. Try again.");
  };
};
