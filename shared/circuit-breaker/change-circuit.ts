/** What POST …/circuit-breaker does: an operator's command, and the circuit as it is afterwards. */

import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { sanitiseText } from "../security/redaction/redact-and-cut.ts";
import type { OrganizationCaller } from "../terms/caller.ts";
import type { Origin } from "../terms/requester.ts";
import { type CircuitAction, REASON_MAX_CHARACTERS } from "./circuit-request.ts";
import type { OrganizationStats } from "./circuit-statistics.ts";
import type { Operator } from "./operator.ts";
import type { StatisticsReader } from "./read-statistics.ts";

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
