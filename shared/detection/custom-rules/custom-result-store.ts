/**
 * What own rules found in a judged hour, and what they carry into later hours: items of their own beside the hour's window,
 * because they may be larger than one item. The window names them by a token, so that of concurrent invocations the items
 * of the one count whose window was stored. The items of the others expire.
 */
import * as z from "zod/mini";
import { definedFields } from "../../json/defined-fields.ts";
import { encodeJson } from "../../json/encode-json.ts";
import { chunksOf } from "../../runtime/chunks.ts";
import { newRequestToken } from "../../runtime/ids.ts";
import { inParallel } from "../../runtime/in-parallel.ts";
import { putItem, type Table } from "../../runtime/table.ts";
import { queryPages } from "../../runtime/table-query.ts";
import { Attack } from "../../security/alerts/attack.ts";
import type { CustomRuleName, Finding } from "../../security/alerts/finding.ts";
import { DAY_MS, hourName } from "../../terms/hours.ts";
import { StoredFinding } from "../stored-finding.ts";
import { type CarriedRules, decodeRules, EncodedRules, encodeRules } from "./carried-rule.ts";

const RESULT_PREFIX = "result#";

/** Below the 400 KB of an item, with room for a last track. */
const MAX_BYTES = 250_000;
const FINDINGS_PER_ITEM = 100;
const ITEMS_AT_ONCE = 4;
/** No window reaches back longer than a day, and an unfinished hour is finished by the next dispatch. */
const KEPT_MS = 7 * DAY_MS;

/** Names the stored result of an hour. `findings`: their number. */
export const CustomResultRef = z.object({ token: z.string(), findings: z.number() });
export type CustomResultRef = z.output<typeof CustomResultRef>;

const OwnFinding = z.extend(StoredFinding, {
  attack: z.optional(z.array(Attack)),
  /** Of a rule of mode `dryRun`: it raises nothing. */
  dryRun: z.optional(z.object({ id: z.string(), revision: z.number(), since: z.number() })),
});
/** A finding of an own rule; with `dryRun`, the rule that only counts it. */
export type OwnFinding = Finding & { dryRun?: { id: string; revision: number; since: number } | undefined };

export type CustomResult = { findings: readonly OwnFinding[]; carried: CarriedRules };

const Item = z.object({ findings: z.optional(z.string()), carried: z.optional(z.string()) });

const prefixOf = (hour: number, token: string): string => `${RESULT_PREFIX}${hourName(hour)}#${token}#`;

const parseFinding = ({ message, rule, attack, dryRun, ...finding }: z.output<typeof OwnFinding>): OwnFinding => ({
  ...finding,
  rule: rule as CustomRuleName,
  ...definedFields({ message, attack, dryRun }),
});

export type CustomResultStore = ReturnType<typeof createCustomResultStore>;

/** Both calls throw DomainError `store_unavailable`. */
export const createCustomResultStore = (table: Table<"detection">) => ({
  /** Stores the result of an hour: a write unit per KB; nothing for an empty one. @param hour its start, epoch ms. */
  async put(scope: string, hour: number, { findings, carried }: CustomResult): Promise<CustomResultRef | undefined> {
    const attributes = [
      ...Array.from(chunksOf(findings, FINDINGS_PER_ITEM), (some) => ({ findings: encodeJson(some) })),
      ...encodeRules(carried, MAX_BYTES).map((some) => ({ carried: encodeJson(some) })),
    ];
    if (attributes.length === 0) return undefined;
    const token = newRequestToken();
    const ttl = Math.ceil((hour + KEPT_MS) / 1_000);
    await inParallel([...attributes.entries()], ITEMS_AT_ONCE, async ([number, one]) => {
      await putItem(table, { scope, key: prefixOf(hour, token) + String(number).padStart(4, "0"), ...one, ttl });
    });
    return { token, findings: findings.length };
  },

  /** A strongly consistent read: one read unit per 4 KB. Items that have expired or were erased are missing. */
  async read(scope: string, hour: number, { token }: CustomResultRef): Promise<CustomResult> {
    const pages = queryPages(table, {
      where: "#scope = :scope AND begins_with(#key, :prefix)",
      values: { scope, prefix: prefixOf(hour, token) },
      isConsistent: true,
    });
    const findings: OwnFinding[] = [];
    const carried: EncodedRules[] = [];
    for await (const page of pages) {
      for (const item of page) {
        const stored = Item.parse(item);
        const list: unknown = JSON.parse(stored.findings ?? "[]");
        findings.push(...z.array(OwnFinding).parse(list).map(parseFinding));
        if (stored.carried !== undefined) carried.push(EncodedRules.parse(JSON.parse(stored.carried)));
      }
    }
    return { findings, carried: decodeRules(carried) };
  },
});
