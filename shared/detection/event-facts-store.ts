/** Reads security events as facts: those of an hour, and an organization's latest operations against the provider. */

import * as z from "zod/mini";
import { inParallel } from "../runtime/in-parallel.ts";
import type { Table } from "../runtime/table.ts";
import { queryPages } from "../runtime/table-query.ts";
import { firstIdAt } from "../security/event-id.ts";
import { fromItem, isOfDrill } from "../security/event-item.ts";
import { HOUR_MS } from "../terms/hours.ts";
import { organizationKey, UNOWNED_SHARDS } from "../terms/keys.ts";
import { UNOWNED_SCOPE } from "./detection.ts";
import { type Fact, factOf, isTimedOperation } from "./evidence/fact.ts";

const PARTITIONS_AT_ONCE = 4;

const Stored = z.object({ ttl: z.number(), createdAt: z.number() });

type HourReading = { recordedBy?: number | undefined; isConsistent?: boolean };

const partitionsOf = (scope: string): string[] =>
  scope === UNOWNED_SCOPE ? Array.from({ length: UNOWNED_SHARDS }, (_, shard) => `${scope}#${shard}`) : [scope];

export type HourFactsStore = ReturnType<typeof createHourFactsStore>;

export const createHourFactsStore = (table: Table<"securityEvents">) => ({
  /**
   * The facts of a scope's unexpired events in an hour, in no order, without those of drills. Strongly consistent: a read unit per 4 KB, at least
   * one per partition; half of that otherwise.
   * @param hour its start, epoch ms.
   * @param now epoch ms.
   * @param options.recordedBy leaves out events that were recorded later, epoch ms.
   * @throws DomainError `store_unavailable`.
   */
  async readHour(
    scope: string,
    hour: number,
    now: number,
    { recordedBy = Number.POSITIVE_INFINITY, isConsistent = true }: HourReading = {},
  ): Promise<Fact[]> {
    const facts: Fact[] = [];
    await inParallel(partitionsOf(scope), PARTITIONS_AT_ONCE, async (partition) => {
      const pages = queryPages(table, {
        where: "#scope = :scope AND #id BETWEEN :first AND :next",
        // BETWEEN includes the first id of the next hour, which no event has: its random part is all zeros.
        values: { scope: partition, first: firstIdAt(hour), next: firstIdAt(hour + HOUR_MS) },
        isConsistent,
      });
      for await (const page of pages) {
        for (const item of page) {
          const { ttl, createdAt } = Stored.parse(item);
          if (ttl * 1_000 > now && createdAt <= recordedBy && !isOfDrill(item)) facts.push(factOf(fromItem(item)));
        }
      }
    });
    return facts;
  },
});

const PAGE = 100;
/** The most events that are searched for operations. */
const MAX_EVENTS = 1_000;

export type OperationFactsStore = ReturnType<typeof createOperationFactsStore>;

export const createOperationFactsStore = (table: Table<"securityEvents">) => ({
  /**
   * All operations since a time (epoch ms), and as many earlier ones as make `least`, oldest first; among the latest
   * 1,000 events. Strongly consistent: a read unit per 4 KB of events.
   * @throws DomainError `store_unavailable`.
   */
  async latest(organizationId: string, { since, least }: { since: number; least: number }): Promise<Fact[]> {
    const query = {
      where: "#scope = :scope AND #id >= :first",
      values: { scope: organizationKey(organizationId), first: firstIdAt(0) },
      isDescending: true,
      isConsistent: true,
    };
    const operations: Fact[] = [];
    let events = 0;
    for await (const page of queryPages(table, query, PAGE)) {
      const facts = page.map((item) => factOf(fromItem(item)));
      operations.push(...facts.filter(isTimedOperation));
      events += facts.length;
      const isEnough = operations.length >= least && (facts.at(-1)?.at ?? 0) < since;
      if (isEnough || events >= MAX_EVENTS) break;
    }
    return operations.filter(({ at }, index) => at >= since || index < least).reverse();
  },
});
