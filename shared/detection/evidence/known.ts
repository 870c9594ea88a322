/** What a rule does not see: the events from its known networks, and those of its known users. Pure. docs/rules.md. */
import { createNetworkMatcher } from "../../terms/cidr.ts";
import type { Fact } from "./fact.ts";
import type { RunFact } from "./syncing.ts";

/** `networks`: CIDRs. `users`: their ids. */
export type Known = { readonly networks: readonly string[]; readonly users: readonly string[] };

/** Whom an event is of, and where it came from. A count of refusals may have a network for an address. */
type Origin = { userId?: string | undefined; ipAddress?: string | undefined };

export type Visibility = {
  isVisible: (event: Origin) => boolean;
  /** The visible facts, in their order. A count of refusals loses the part of known users. */
  facts: (facts: readonly Fact[]) => readonly Fact[];
  /** The runs whose start is visible. @param facts those of the runs' hours, with the starts. */
  runs: (runs: readonly RunFact[], facts: readonly Fact[]) => readonly RunFact[];
};

const seesAll: Visibility = { isVisible: () => true, facts: (facts) => facts, runs: (runs) => runs };

/** A run and the event of its start have the same time and trigger. */
const startKey = (at: number, trigger = ""): string => `${at} ${trigger}`;

export const createVisibility = ({ networks, users }: Known): Visibility => {
  if (networks.length === 0 && users.length === 0) return seesAll;
  const knownUsers = new Set(users);
  const isKnownAddress = createNetworkMatcher(networks);

  const isVisible = ({ userId, ipAddress }: Origin): boolean =>
    !(userId !== undefined && knownUsers.has(userId)) && !(ipAddress !== undefined && isKnownAddress(ipAddress));

  const visiblePart = (fact: Fact): Fact | undefined => {
    if (!isVisible(fact)) return undefined;
    const { busiest } = fact;
    const known = busiest?.filter(({ userId }) => knownUsers.has(userId)) ?? [];
    if (busiest === undefined || known.length === 0) return fact;
    const failures = (fact.failures ?? 0) - known.reduce((sum, one) => sum + one.failures, 0);
    if (failures <= 0) return undefined;
    const others = busiest.filter((one) => !known.includes(one));
    return { ...fact, failures, users: Math.max(0, (fact.users ?? 0) - known.length), busiest: others };
  };

  return {
    isVisible,
    facts: (facts) => facts.flatMap((fact) => visiblePart(fact) ?? []),
    runs: (runs, facts) => {
      const hidden = new Set(
        facts
          .filter((fact) => fact.type === "PROVIDER_SYNC_STARTED" && !isVisible(fact))
          .map(({ at, trigger }) => startKey(at, trigger)),
      );
      return runs.filter(({ startedAt, trigger }) => !hidden.has(startKey(startedAt, trigger)));
    },
  };
};
