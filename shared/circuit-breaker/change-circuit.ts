/** What POST …/circuit-breaker does: an operator's command, and the circuit as it is afterwards. */
import type { OrganizationCaller } from "../api/caller.ts";
import type { Origin } from "../api/origin.ts";
import type { Clock } from "../runtime/clock.ts";
import { systemClock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { sanitiseText } from "../security/redaction/redact-and-cut.ts";
import type { CircuitAction } from "./circuit-request.ts";
import type { OrganizationStats } from "./circuit-statistics.ts";
import type { Operator } from "./operator.ts";
import type { StatisticsReader } from "./read-statistics.ts";
import { wireOperator, wireStatisticsReader } from "./wire-circuit-breaker.ts";

const REASON_MAX_CHARACTERS = 512;

type Parts = {
  operator: Pick<Operator, "operate">;
  statistics: Pick<StatisticsReader, "readOrganization">;
  now: Clock;
};

export type ChangeCircuit = (
  action: CircuitAction,
  by: { caller: Pick<OrganizationCaller, "organizationId" | "userId">; origin: Origin },
) => Promise<OrganizationStats>;

/** The reason is redacted before it is stored anywhere. */
export const createChangeCircuit =
  ({ operator, statistics, now }: Parts): ChangeCircuit =>
  async ({ action, reason, until }, { caller: { organizationId, userId } }) => {
    if (action !== "reset" && until !== undefined && until <= now()) {
      throw new DomainError("invalid_field", "until: expected a time that is still to come");
    }
    await operator.operate(organizationId, {
      action,
      by: userId,
      ...(reason !== undefined && { reason: sanitiseText(reason, REASON_MAX_CHARACTERS) }),
      ...(action !== "reset" && until !== undefined && { until }),
    });
    return statistics.readOrganization(organizationId);
  };

/** As a deployed function does it. @throws Error where the environment lacks a variable. */
export const wireChangeCircuit = (): ChangeCircuit => {
  let origin: Origin | undefined;
  const change = createChangeCircuit({
    operator: wireOperator(() => origin),
    statistics: wireStatisticsReader(),
    now: systemClock,
  });
  return (action, by) => {
    // An instance serves one request at a time; the events of what it changes name where that came from.
    origin = by.origin;
    return change(action, by);
  };
};
