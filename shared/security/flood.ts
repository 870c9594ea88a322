/**
 * Records refusals that anybody can cause: refused tokens and forged webhooks. A flood leaves a bounded number of events,
 * whatever the number of instances and addresses (flood-budget-store.ts). The first five refusals of a network and
 * organization are events one by one, until the network was quiet for a minute; of one user at most five in any minute.
 * Other refusals are in counts, which all instances share and which grow for a minute: in a count of the network, or if the
 * budget has no slot for that, in the count of all other refusals of the organization. A count names its busiest users.
 *
 * Refusals wait in memory for up to two seconds. The next request of the instance then adds them to the counts, which are
 * dated at the refusals, not at that request.
 * docs/security-events.md, "Floods".
 */
import { definedFields } from "../json/defined-fields.ts";
import type { Clock } from "../runtime/clock.ts";
import type { FloodKind } from "./flood-budget-store.ts";
import { createFloodCounts, type DescribeCount, type FloodDependencies } from "./flood-counts.ts";
import { createFloodMemory, type NetworkRefusals, type OwnerRefusals } from "./flood-memory.ts";
import type { NewSecurityEvent } from "./security-event.ts";

/** How long refusals wait in memory before they are added to a count. */
const COUNT_AFTER_MS = 2_000;
/** The most counts of networks that one request opens, so that no request takes long. */
const NEW_COUNTS_PER_REQUEST = 3;
/** A user with this many refusals from a network is counted at once: detection asks for five. */
const COUNTED_AT_ONCE = 5;
/** In a minute, of an organization, one of each network: others wait for two seconds, so that a flood costs little more. */
const USERS_COUNTED_AT_ONCE = 5;

const isPowerOfTen = (count: number): boolean => count >= 10 && /^10+$/.test(String(count));

/** Of an event, what refusals of all networks and functions have in common. */
const commonFields = ({
  resource: _resource,
  resourceType: _resourceType,
  action: _action,
  errorCode: _code,
  metadata: _metadata,
  ...event
}: NewSecurityEvent): NewSecurityEvent => event;

/** A count stands for several requests, so its event has no user and no session. */
const withoutUser = ({
  userId: _user,
  sessionId: _session,
  ipAddress: _address,
  userAgent: _agent,
  ...event
}: NewSecurityEvent): NewSecurityEvent => event;

const describeCount =
  (kind: PublicKind): DescribeCount =>
  (owner, waiting) => {
    if (!("total" in waiting)) {
      const errorMessage = `More ${kind} were refused than are recorded one by one. This record counts them.`;
      return { ...commonFields(withoutUser(owner.example)), errorMessage };
    }
    const { network: ipAddress = "", example } = waiting as NetworkRefusals;
    const errorMessage = `More ${kind} from this address were refused. This record counts them.`;
    const { userAgent } = example;
    const origin = definedFields({ ipAddress: ipAddress === "" ? undefined : ipAddress, userAgent });
    return { ...withoutUser(example), ...origin, errorMessage };
  };

/** Whether refusals of a network belong to the rest: the network has few of them, or another network has its slot. */
const belongsToRest = (network: NetworkRefusals): boolean =>
  network.isSingle() || network.openedCount(network.lastWaitingAt())?.isForeign === true;

/** Of refusals that anybody can cause; of valid tokens, see flood-denials.ts. */
export type PublicKind = Exclude<FloodKind, "denials">;

export type FloodRecorder = ReturnType<typeof createFloodRecorder>;

/** Records the refusals of one kind for one instance of a function. Its calls never throw. */
export const createFloodRecorder = (kind: PublicKind, { now, ...dependencies }: FloodDependencies & { now: Clock }) => {
  const { recorder } = dependencies;
  const counts = createFloodCounts(kind, dependencies, describeCount(kind));
  const { count, mayRecordSingle } = counts;

  const memory = createFloodMemory((owner) => counts.logUncounted("Refused requests were removed from memory", owner));

  const countWaiting = async (owner: OwnerRefusals, at: number, isUrgent = false): Promise<void> => {
    let opened = 0;
    for (const network of owner.takeTurn()) {
      const isOpen = network.openedCount(network.lastWaitingAt()) !== undefined;
      const mayCount = !belongsToRest(network) && (isOpen || opened++ < NEW_COUNTS_PER_REQUEST);
      if (mayCount) await count(owner, network, at, isUrgent);
      else owner.rest.add(network.take());
      if (at < owner.pausedUntil) return owner.waitFrom(at);
    }
    await count(owner, owner.rest, at, isUrgent);
  };

  /** Counts refusals that have waited for long enough. Requests that are not refused call it too. */
  const countDue = async (): Promise<void> => {
    const at = now();
    const owner = memory.longestWaiting(COUNT_AFTER_MS, at);
    if (owner !== undefined) await countWaiting(owner, at);
  };

  /** Whether the refusals of a user from a network are now too many to wait. */
  const isCountedAtOnce = (owner: OwnerRefusals, network: NetworkRefusals, userId: string | undefined, at: number) => {
    if (userId === undefined || network.isNamed || (network.users.get(userId) ?? 0) < COUNTED_AT_ONCE) return false;
    network.isNamed = owner.countAtOnce(USERS_COUNTED_AT_ONCE, at);
    return network.isNamed;
  };

  const countOne = async (owner: OwnerRefusals, network: NetworkRefusals, event: NewSecurityEvent, at: number) => {
    const { userId } = event;
    const isRepeated = userId !== undefined && (network.users.get(userId) ?? 0) > 1;
    network.addOne({ userId, isRepeated, network: network.network, at });
    owner.waitFrom(at);
    if (at < owner.pausedUntil) return;
    if (isPowerOfTen(network.total) && !belongsToRest(network)) await count(owner, network, at);
    else if (isCountedAtOnce(owner, network, userId, at)) await countWaiting(owner, at, true);
  };

  return {
    countDue,

    /** Records or counts a refusal. @param event of this refusal alone. */
    async record(event: NewSecurityEvent): Promise<void> {
      const at = now();
      const owner = memory.owner(event);
      const network = owner.refused(event, at);
      const isSingle = network.isSingle() && (await mayRecordSingle(owner, event.userId, at));
      if (isSingle) await recorder.record(event, { timestamp: at });
      else await countOne(owner, network, event, at);
      await countDue();
    },
  };
};
