/**
 * Records refusals of valid tokens: a missing permission, a blocked address, another organization's cursor. Each is an event,
 * up to 60 in any minute of a caller: a user, or the network of a request without one. Further ones are in counts, one of a
 * minute for each caller, operation and reason, which all instances share. An instance records the first one of a caller
 * without asking, then it claims slots. docs/security-events.md, "Floods".
 */
import type { Clock } from "../runtime/clock.ts";
import { writeLog } from "../runtime/log.ts";
import { MINUTE_MS } from "../terms/hours.ts";
import { networkOf } from "../terms/ip-address.ts";
import type { SlotTimes } from "./flood-budget-store.ts";
import { createFloodCounts, type DescribeCount, type FloodDependencies } from "./flood-counts.ts";
import { createFloodMemory, type OwnerRefusals, useEntry } from "./flood-memory.ts";
import type { NewSecurityEvent } from "./security-event.ts";

/** While claims fail, an instance records this many in a minute of a caller. */
const RECORDED_WITHOUT_STORE = 60;
/** How long refusals wait in memory before they are added to a count. */
const COUNT_AFTER_MS = 2_000;
/** The most counts that wait which one request adds to, so that no request takes long. */
const COUNTED_PER_REQUEST = 3;
const MAX_CALLERS = 500;

/** When an instance has recorded refusals of a caller one by one, in epoch ms, and the slots that it knows. */
const createSingles = () => ({ recorded: [] as number[], slots: {} as SlotTimes });

/** A count is of one caller, operation and reason, so that rules read it as they read each of its refusals. */
const describeCount: DescribeCount = ({ example }) => {
  const { sessionId: _session, metadata: { requestId: _request, ...metadata } = {}, ...event } = example;
  const errorMessage = "More requests were refused than are recorded one by one. This record counts them.";
  return { ...event, errorMessage, metadata };
};

const callerOf = ({ userId, ipAddress = "" }: NewSecurityEvent): string =>
  userId === undefined ? `address ${networkOf(ipAddress)}` : `user ${userId}`;

const reasonOf = ({ action, errorCode, riskLevel }: NewSecurityEvent): string => `${action} ${errorCode} ${riskLevel}`;

export type DenialRecorder = ReturnType<typeof createDenialRecorder>;

/** Records refusals of valid tokens for one instance of a function. Its calls never throw. */
export const createDenialRecorder = ({ now, ...dependencies }: FloodDependencies & { now: Clock }) => {
  const { recorder, budget, noteFailure } = dependencies;
  const counts = createFloodCounts("denials", dependencies, describeCount);
  const memory = createFloodMemory((owner) => counts.logUncounted("Refused requests were removed from memory", owner));
  const callers = new Map<string, ReturnType<typeof createSingles>>();

  const mayClaim = async (
    { organizationId }: NewSecurityEvent,
    caller: string,
    singles: ReturnType<typeof createSingles>,
    at: number,
  ): Promise<boolean> => {
    try {
      const owner = { kind: "denials", organizationId, caller } as const;
      const { isGranted, times } = await budget.claim(owner, undefined, singles.slots, at);
      singles.slots = times;
      return isGranted;
    } catch (error) {
      // The event goes to the queue of unrecorded events if need be: while the store fails, each instance has a whole budget.
      writeLog("error", "Claiming events of refused requests failed", { cause: String(error) });
      await noteFailure(organizationId, "store");
      return singles.recorded.length < RECORDED_WITHOUT_STORE;
    }
  };

  const mayRecordSingle = async (event: NewSecurityEvent, caller: string, at: number): Promise<boolean> => {
    const singles = useEntry(callers, `${event.organizationId ?? ""} ${caller}`, {
      create: createSingles,
      max: MAX_CALLERS,
      onRemove: () => undefined,
    });
    singles.recorded = singles.recorded.filter((time) => time > at - MINUTE_MS);
    // Most callers are refused once, so most refusals cost no claim.
    const isAllowed = singles.recorded.length === 0 || (await mayClaim(event, caller, singles, at));
    if (isAllowed) singles.recorded.push(at);
    return isAllowed;
  };

  const count = async (owner: OwnerRefusals, at: number): Promise<void> => {
    owner.takeTurn();
    await counts.count(owner, owner.rest, at);
  };

  /** Counts refusals that have waited for long enough. Requests that are not refused call it too. */
  const countDue = async (): Promise<void> => {
    const at = now();
    for (let counted = 0; counted < COUNTED_PER_REQUEST; counted++) {
      const owner = memory.longestWaiting(COUNT_AFTER_MS, at);
      if (owner === undefined) return;
      await count(owner, at);
    }
  };

  /** The first refusal of a count is stored at once, so that rules judge it. */
  const countOne = async (event: NewSecurityEvent, caller: string, at: number): Promise<void> => {
    const owner = memory.owner(event, `${caller} ${reasonOf(event)}`);
    owner.example = event;
    owner.rest.addOne({ userId: event.userId, at });
    owner.waitFrom(at);
    if (at >= owner.pausedUntil && owner.rest.openedCount(at) === undefined) await count(owner, at);
  };

  return {
    countDue,

    /** Records or counts a refusal. @param event of this refusal alone. */
    async record(event: NewSecurityEvent): Promise<void> {
      const at = now();
      const caller = callerOf(event);
      if (await mayRecordSingle(event, caller, at)) await recorder.record(event, { timestamp: at });
      else await countOne(event, caller, at);
      await countDue();
    },
  };
};
