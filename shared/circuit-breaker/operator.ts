/** POST circuit-breaker: what an operator's command does to a circuit. docs/circuit-breaker.md, "Operators". */

import { definedFields } from "../json/defined-fields.ts";
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { eventId, identityOf } from "../security/event-id.ts";
import { sanitiseText } from "../security/redaction/redact-and-cut.ts";
import type { RequestIdentity } from "../terms/idempotency-key.ts";
import type { Origin, UserRequest } from "../terms/requester.ts";
import type { Announcer } from "./announce.ts";
import { type Circuit, type Counts, minus, noCounts, type OperatorAction } from "./circuit.ts";
import { type CircuitAction, type OrganizationStats, REASON_MAX_CHARACTERS } from "./circuit-schemas.ts";
import { organizationStats } from "./circuit-statistics.ts";
import type { CircuitStore } from "./circuit-store.ts";
import { isInForce } from "./reduce.ts";
import type { RequestCounter } from "./request-counter.ts";
import type { StatisticsStore } from "./statistics-store.ts";

/** `until`: when the hold ends, in epoch ms; a reset has none. `origin`, `identity`: of the operator's request. */
export type OperatorCommand = {
  action: OperatorAction;
  by: string;
  reason?: string;
  until?: number;
  origin?: Origin;
  identity?: RequestIdentity;
};

export type Operator = ReturnType<typeof createOperator>;

export const createOperator = (dependencies: {
  store: Pick<CircuitStore, "read" | "operate">;
  statisticsStore: Pick<StatisticsStore, "organizationCounts">;
  statistics: Pick<RequestCounter, "takeFromGlobal" | "flush">;
  announcer: Pick<Announcer, "announce" | "settle">;
  clock: Clock;
}) => {
  const { store, statisticsStore, statistics, announcer, clock } = dependencies;

  return {
    /**
     * Applies a command in every state; of two commands the last one wins. A command that is in force already changes
     * nothing. Starts to announce the transition: call `settle` before the invocation ends.
     * @returns the circuit afterwards, and the organization's counts before the command.
     * @throws DomainError `store_unavailable`: the command may be in force or not, and may be repeated.
     */
    async operate(
      organizationId: string,
      { origin, identity, ...command }: OperatorCommand,
    ): Promise<{ circuit: Circuit; counts: Counts }> {
      const isReset = command.action === "reset";
      // The counts of this instance belong to the time before the command.
      await statistics.flush();
      const [circuit, counts] = await Promise.all([
        store.read(organizationId),
        statisticsStore.organizationCounts(organizationId, { mayLag: !isReset }),
      ]);
      const at = clock();
      const { isRepeated, ...request } = identity ?? { id: newRequestToken(), at, isRepeated: false };
      // The ids of actions sort by the time of their requests.
      const id = eventId(request.at, identityOf("operator action", organizationId, request.id));
      const write = { ...command, at, id, isRepeated, baseline: isReset ? counts : noCounts };
      if (isInForce(circuit, write, counts)) return { circuit, counts };
      const { before, after } = await store.operate(organizationId, write);
      if (before && isReset) statistics.takeFromGlobal(minus(counts, before.baseline));
      announcer.announce(organizationId, after, origin);
      return { circuit: after, counts };
    },

    /** Waits until the transitions are announced and the counts are stored. Never throws. */
    async settle(): Promise<void> {
      await Promise.all([announcer.settle(), statistics.flush()]);
    },
  };
};

/**
 * Applies the command of a request and returns the circuit afterwards. The reason is redacted before it is stored. After
 * the command no call can fail the request.
 */
export const createChangeCircuit =
  ({ operator, clock }: { operator: Operator; clock: Clock }) =>
  async (
    { action, reason, until }: CircuitAction,
    { caller: { organizationId, userId }, origin, identity }: UserRequest & { identity: RequestIdentity },
  ): Promise<OrganizationStats> => {
    if (until !== undefined && until <= identity.at) {
      throw new DomainError("invalid_field", "until: expected a time in the future");
    }
    const { circuit, counts } = await operator.operate(organizationId, {
      action,
      by: userId,
      origin,
      identity,
      ...definedFields({ until, reason: reason && sanitiseText(reason, REASON_MAX_CHARACTERS) }),
    });
    await operator.settle();
    return organizationStats(organizationId, circuit, counts, clock());
  };
