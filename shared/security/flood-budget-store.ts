/**
 * How many refusals become events in any 60 s, whatever the number of instances and addresses. Decisions:
 * docs/decisions.md, "Security events".
 */

import { newRequestToken } from "../runtime/ids.ts";
import { type Table, updateItem } from "../runtime/table.ts";
import { MINUTE_MS } from "../terms/hours.ts";
import { organizationKey, shardOf } from "../terms/keys.ts";

/** Refused tokens and forged webhooks have separate budgets. */
export type FloodKind = "tokens" | "webhooks";

/** Whose budget: an organization's, or the budget of all refusals of no known organization. */
export type FloodOwner = { kind: FloodKind; organizationId: string | undefined };

/** The result of a claim. `until` (epoch ms): when the next claim may succeed. */
export type FloodClaim = { granted: true } | { granted: false; until: number };

/** Events in any 60 s: single ones, counts of networks, and the count of all other refusals. */
type Budget = { singles: number; networks: number; rest: 1 };

/** 20 events of an organization, and 50 of no organization. */
const budgetOf = ({ organizationId }: FloodOwner): Budget =>
  organizationId === undefined ? { singles: 37, networks: 12, rest: 1 } : { singles: 14, networks: 5, rest: 1 };

/** A claim that met another instance's claim tries another slot. */
const ATTEMPTS = 4;
/** The least pause after a denied claim, so that waiting instances share a slot that becomes free. */
const RETRY_AFTER_MS = 5_000;

const KEPT_SECONDS = 3_600;

export type FloodBudgetStore = ReturnType<typeof createFloodBudgetStore>;

/**
 * One item per owner, in the table of the rollups: partition key `scope`, sort key `period` (`flood#tokens`). Its
 * attributes `s0` … (single events), `n0` … (counts of networks) and `rest` are slots. A slot is the time of the event
 * that used it last (epoch ms), and is free again after 60 s. `token` names the last call. The item contains no personal
 * data. Each call costs one write unit, and one more for each slot that another instance took first. All calls throw
 * DomainError `store_unavailable`; a slot may then be used up.
 * @param random 16 bytes of randomness.
 */
export const createFloodBudgetStore = (table: Table<"securityRollups">, random: () => Uint8Array) => {
  /** Takes a slot, unless it was taken within the last minute. @returns with the item if the slot was not free. */
  const take = async ({ kind, organizationId }: FloodOwner, slot: string, now: number) => {
    const scope = organizationId === undefined ? "none" : organizationKey(organizationId);
    const { written, item } = await updateItem(
      table,
      { scope, period: `flood#${kind}` },
      {
        set: { [slot]: now, token: newRequestToken(), ttl: Math.floor(now / 1_000) + KEPT_SECONDS },
        condition: `attribute_not_exists(#${slot}) OR #${slot} <= :expired`,
        values: { expired: now - MINUTE_MS },
        own: "token",
      },
    );
    return { isTaken: written, item };
  };

  return {
    /** Claims the right to record one single event, dated now. */
    async claim(owner: FloodOwner, now: number): Promise<FloodClaim> {
      const slots = Array.from({ length: budgetOf(owner).singles }, (_, index) => `s${index}`);
      let free = slots;
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const [byte = 0] = random();
        const slot = free[byte % free.length] ?? "s0";
        const { isTaken, item } = await take(owner, slot, now);
        if (isTaken) return { granted: true };
        const freeAt = (name: string): number => Number(item?.[name] ?? 0) + MINUTE_MS;
        free = slots.filter((name) => freeAt(name) <= now);
        if (free.length === 0) {
          return { granted: false, until: Math.max(now + RETRY_AFTER_MS, Math.min(...slots.map(freeAt))) };
        }
      }
      return { granted: false, until: now + RETRY_AFTER_MS };
    },

    /**
     * The time of the count event of a network, or of all other refusals, that instances share for a minute. The instance
     * that receives `isNew` records the event. Networks may meet in a slot; then only one of them has a count.
     */
    async openCount(
      owner: FloodOwner,
      network: string | undefined,
      now: number,
    ): Promise<{ time: number; isNew: boolean }> {
      const slot = network === undefined ? "rest" : `n${shardOf(network, budgetOf(owner).networks)}`;
      const { isTaken, item } = await take(owner, slot, now);
      return { time: isTaken ? now : Number(item?.[slot]), isNew: isTaken };
    },
  };
};
