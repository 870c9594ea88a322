/**
 * How many refusals become events in any 60 s, whatever the number of instances and addresses. Decisions:
 * docs/decisions.md, "Security events".
 */
import { createHash } from "node:crypto";
import { newRequestToken } from "../runtime/ids.ts";
import { type Table, updateItem } from "../runtime/table.ts";
import { MINUTE_MS, startOfHour } from "../terms/hours.ts";
import { organizationKey, shardOf } from "../terms/keys.ts";

/** Refused tokens, forged webhooks and refusals of valid tokens have separate budgets. */
export type FloodKind = "tokens" | "webhooks" | "denials";

/**
 * Whose budget: an organization's, or the budget of all refusals of no known organization; of `denials`, a caller's.
 * `caller` stays in memory: the table has its digest.
 */
export type FloodOwner = { kind: FloodKind; organizationId: string | undefined; caller?: string | undefined };

/** When each slot was used last (epoch ms), by the slot's name, as far as an instance knows. */
export type SlotTimes = Readonly<Record<string, number>>;

export type FloodClaim = { isGranted: boolean; times: SlotTimes };

/**
 * Events in any 60 s: single ones, those of them that one user may have, and counts of networks. All other refusals have
 * one count more.
 */
type Budget = { singles: number; ofUser: number; networks: number };

/** 60 events of a caller at one instance, which records one without a slot. */
const DENIAL_SLOTS = 59;

/** 20 events of an organization, and 50 of no organization. */
const budgetOf = ({ kind, organizationId }: FloodOwner): Budget => {
  if (kind === "denials") return { singles: DENIAL_SLOTS, ofUser: DENIAL_SLOTS, networks: 0 };
  return organizationId === undefined
    ? { singles: 37, ofUser: 5, networks: 12 }
    : { singles: 14, ofUser: 5, networks: 5 };
};

/** A claim that met another instance's claim tries another slot. */
const ATTEMPTS = 4;

const KEPT_SECONDS = 3_600;

/**
 * The slots for single events of a user, the same for every instance: so a user takes few slots, however many refusals are
 * theirs. Two users have about two of 14 slots in common. A refusal of no known user may use every slot.
 */
const slotsOf = ({ singles, ofUser }: Budget, user: string | undefined): readonly string[] => {
  const slots = Array.from({ length: singles }, (_, index) => `s${index}`);
  if (user === undefined) return slots;
  const order = createHash("sha256").update(user).digest();
  return Array.from({ length: ofUser }, (_, index) => slots.splice((order[index] ?? 0) % slots.length, 1)).flat();
};

const isFree = (usedAt: number | undefined, now: number): boolean => usedAt === undefined || usedAt <= now - MINUTE_MS;

const periodOf = ({ kind, caller }: FloodOwner): string =>
  caller === undefined ? `flood#${kind}` : `flood#${kind}#${createHash("sha256").update(caller).digest("base64url")}`;

const timesIn = (item: Readonly<Record<string, unknown>> = {}): SlotTimes =>
  Object.fromEntries(
    Object.entries(item).flatMap(([name, value]) => (/^s\d+$/.test(name) ? [[name, Number(value)]] : [])),
  );

export type FloodBudgetStore = ReturnType<typeof createFloodBudgetStore>;

/**
 * One item per owner, in the table of the rollups: partition key `scope`, sort key `period` (`flood#tokens`,
 * `flood#denials#…` with a digest of the caller). Its attributes `s0` … (single events), `n0` … (counts of networks) and `rest` are slots. A slot is the time of the event
 * that used it last (epoch ms), and is free again after 60 s. `token` names the last call. The item names nobody.
 * Each call costs one write unit, and one more for each slot that another instance took first. All calls throw
 * DomainError `store_unavailable`; a slot may then be used up.
 * @param random 16 bytes of randomness.
 */
export const createFloodBudgetStore = (table: Table<"securityRollups">, random: () => Uint8Array) => {
  /** Takes a slot, unless it was used after a time: within the last minute. @returns with the item. */
  const take = async (owner: FloodOwner, slot: string, now: number, freeSince = now - MINUTE_MS) => {
    const { organizationId } = owner;
    const scope = organizationId === undefined ? "none" : organizationKey(organizationId);
    const { written, item } = await updateItem(
      table,
      { scope, period: periodOf(owner) },
      {
        set: { [slot]: now, token: newRequestToken(), ttl: Math.floor(now / 1_000) + KEPT_SECONDS },
        condition: `attribute_not_exists(#${slot}) OR #${slot} <= :expired`,
        values: { expired: freeSince },
        own: "token",
        returns: "after",
      },
    );
    return { isTaken: written, item };
  };

  return {
    /**
     * Claims the right to record one single event, dated now. If no slot is free by what the instance knows, the store is
     * not asked.
     * @param user whose token was refused, if known.
     * @param known the times of the instance's last claim.
     */
    async claim(owner: FloodOwner, user: string | undefined, known: SlotTimes, now: number): Promise<FloodClaim> {
      const slots = slotsOf(budgetOf(owner), user);
      let times = known;
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const free = slots.filter((name) => isFree(times[name], now));
        const [byte = 0] = random();
        const slot = free[byte % free.length];
        if (slot === undefined) break;
        const { isTaken, item } = await take(owner, slot, now);
        times = timesIn(item);
        if (isTaken) return { isGranted: true, times };
      }
      return { isGranted: false, times };
    },

    /**
     * The time of the count event of a network, or of all other refusals, that instances share for a minute. The instance
     * that receives `isNew` records the event. Networks may meet in a slot; then only one of them has a count. Refusals that
     * waited while another instance opened a later count are in that one. A count of a past hour takes no more: its event
     * may be sealed. Then a count of the current hour takes the slot.
     * @param lastAt when the last refusal was: the time of a new count. @param now both epoch ms.
     */
    async openCount(
      owner: FloodOwner,
      network: string | undefined,
      lastAt: number,
      now: number,
    ): Promise<{ time: number; isNew: boolean }> {
      const slot = network === undefined ? "rest" : `n${shardOf(network, budgetOf(owner).networks)}`;
      const hour = startOfHour(now);
      const minute = await take(owner, slot, lastAt);
      if (minute.isTaken) return { time: lastAt, isNew: true };
      const time = Number(minute.item?.[slot]);
      if (time >= hour) return { time, isNew: false };
      const next = Math.max(lastAt, hour);
      const { isTaken, item } = await take(owner, slot, next, hour - 1);
      return { time: isTaken ? next : Number(item?.[slot]), isNew: isTaken };
    },
  };
};
