/** Raises the alerts of findings. */
import { writeLog } from "../runtime/log.ts";
import type { AlertRaiser } from "../security/alerts/alert-raiser.ts";
import type { Finding } from "../security/alerts/finding.ts";

export type RaiseFinding = (organizationId: string | undefined, finding: Finding) => Promise<void>;

/**
 * Raises a finding; the same again changes nothing. One of no organization goes to the bus, and calls the operators: by
 * rule and hour only: the log has nobody's ids or addresses, nor a digest of them, which the alert's id is.
 * @throws DomainError `store_unavailable`, or Error where the bus did not take a finding of no organization.
 */
export const createRaiseFinding =
  (alerts: Pick<AlertRaiser, "raiseForFinding">): RaiseFinding =>
  async (organizationId, finding) => {
    await alerts.raiseForFinding(organizationId, finding);
    if (organizationId !== undefined) return;
    const { rule, level, occurrence } = finding;
    writeLog("warn", "A finding of no organization", { alarm: rule, level, occurrence });
  };
