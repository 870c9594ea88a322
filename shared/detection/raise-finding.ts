/** Raises the alerts of findings. */
import { writeLog } from "../runtime/log.ts";
import type { AlertRaiser } from "../security/alerts/alert-raiser.ts";
import type { BuiltInRule, Finding } from "../security/alerts/finding.ts";
import { settingsOf, withLevel } from "./rule-settings.ts";
import type { RuleSettingsStore } from "./rule-settings-store.ts";

export type RaiseFinding = (organizationId: string | undefined, finding: Finding) => Promise<void>;

/**
 * Raises a finding; repeated, it changes nothing. A finding of no organization goes to the bus, and alarms the operators
 * by a log line with rule and hour only: the alert's id is a digest of ids or addresses, so it is not logged.
 * @throws DomainError `store_unavailable`; Error if the bus does not take a finding of no organization.
 */
export const createRaiseFinding =
  (alerts: Pick<AlertRaiser, "raiseForFinding">): RaiseFinding =>
  async (organizationId, finding) => {
    await alerts.raiseForFinding(organizationId, finding);
    if (organizationId !== undefined) return;
    const { rule, level, occurrence } = finding;
    writeLog("warn", "A finding of no organization", { alarm: rule, level, occurrence });
  };

/**
 * Waits for work that the request itself does not need. Work that exceeds the limit keeps running; its result is ignored.
 * @throws the work's error; Error if the limit is exceeded.
 */
export const withinTime = async <Result>(work: Promise<Result>, limitMs: number): Promise<Result> => {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("It took too long.")), limitMs);
  work.catch(() => undefined);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Raises a finding at once by the organization's settings of its rule. Known callers are for the rule to leave out.
 * @returns false if the rule is off.
 * @throws DomainError `store_unavailable`.
 */
export const createRaiseBySettings =
  (settings: Pick<RuleSettingsStore, "read">, raise: RaiseFinding) =>
  async (organizationId: string, finding: Finding & { rule: BuiltInRule }): Promise<boolean> => {
    const { enabled, level } = settingsOf(await settings.read(organizationId), finding.rule);
    if (enabled) await raise(organizationId, withLevel(finding, level));
    return enabled;
  };

/** The same as `createRaiseFinding`, but creates what raises alerts at the first finding: most instances never have one. */
export const createLazyRaiseFinding = (createAlerts: () => Pick<AlertRaiser, "raiseForFinding">): RaiseFinding => {
  let raise: RaiseFinding | undefined;
  return async (organizationId, finding) => {
    raise ??= createRaiseFinding(createAlerts());
    await raise(organizationId, finding);
  };
};
