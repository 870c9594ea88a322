/** What the circuit breaker does now, why, and what it has counted. */
import type { ComponentChildren } from "preact";
import { useCaller } from "../../access.ts";
import type { OrganizationStats } from "../../api/types.ts";
import { Card, Facts } from "../../parts/page.tsx";
import { Badge, Countdown, RelativeTime, Time } from "../../parts/values.tsx";
import { useNow } from "../../words/clock.ts";
import { formatNumber, formatShare } from "../../words/format.ts";
import { stateOf, stateSentence, stateWords } from "./state-words.ts";

/** This many failures within a minute open the circuit. */
const FAILURES_TO_OPEN = 5;
/** This many successes in a row close it. */
const SUCCESSES_TO_CLOSE = 2;

const Remaining = ({ circuit: { state, forced, retryAt, until } }: { circuit: OrganizationStats }) => {
  if (forced)
    return until === null ? null : (
      <p>
        The hold ends in <Countdown to={until}>a moment</Countdown>, at <Time at={until} />.
      </p>
    );
  return state === "open" && retryAt !== null ? (
    <p>
      The provider is tried again in <Countdown to={retryAt}>a moment</Countdown>: the next sync or other request is the
      test.
    </p>
  ) : null;
};

export const StateCard = ({ circuit, actions }: { circuit: OrganizationStats; actions: ComponentChildren }) => {
  const { userId } = useCaller();
  const now = useNow();
  const [tone, word] = stateWords[stateOf(circuit)];
  const { state, changedAt, changedBy, reason, lastFailureAt, failuresInWindow, consecutiveSuccesses } = circuit;
  const { totalRequests, failedRequests, rejectedRequests, failureRate } = circuit;
  return (
    <Card title="Now" actions={<div class="actions">{actions}</div>}>
      <p class="breaker-state" role="status">
        <Badge tone={tone}>{word}</Badge> <b>{stateSentence(circuit, now)}</b>
      </p>
      <Remaining circuit={circuit} />
      <div class="breaker-facts">
        <Facts
          of={[
            ["Since", changedAt !== null ? <RelativeTime at={changedAt} /> : "It never changed"],
            ["By", changedBy !== null ? (changedBy === userId ? "You" : changedBy) : undefined],
            ["Reason", reason ?? undefined],
            ["Last failure", lastFailureAt !== null ? <RelativeTime at={lastFailureAt} /> : "None"],
            [
              "Within a minute",
              state === "closed" && !circuit.forced
                ? `${formatNumber(failuresInWindow)} of ${formatNumber(FAILURES_TO_OPEN)} failures that open it`
                : undefined,
            ],
            [
              "Tests",
              state === "half_open"
                ? `${formatNumber(consecutiveSuccesses)} of ${formatNumber(SUCCESSES_TO_CLOSE)} successes that close it`
                : undefined,
            ],
          ]}
        />
        <Facts
          of={[
            ["Requests", `${formatNumber(totalRequests)} since the last reset`],
            ["Failed", `${formatNumber(failedRequests)} (${formatShare(failureRate)} of those that were sent)`],
            ["Refused", `${formatNumber(rejectedRequests)}, never sent to the provider`],
          ]}
        />
      </div>
    </Card>
  );
};
