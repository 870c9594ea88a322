/** Compares a restored table with the live one, and writes back what is missing or different. */
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { TableName } from "../../shared/terms/tables.ts";
import type { Erased } from "./erased-since.ts";
import { isEqual, type RawItem, readSame, scanPages, writeBack } from "./items.ts";

/** Numbers of restored items. */
export type Counts = {
  restored: number;
  same: number;
  /** The live table has another item of the key. */
  different: number;
  /** The live table has no item of the key. */
  missing: number;
  /** Their time to live has passed. */
  expired: number;
  /** Of organizations whose data was erased since. */
  erased: number;
  written: number;
};

/** What is written back: nothing, what the live table lacks, or also what differs there. */
export const writes = ["none", "missing", "different"] as const;
export type Write = (typeof writes)[number];

const WRITES_AT_ONCE = 16;

const isExpired = (item: RawItem, now: number) => item.ttl?.N !== undefined && Number(item.ttl.N) * 1_000 <= now;

type Tables = { table: TableName; name: string; restored: string };

/** @param now epoch ms */
export const compareTables = async (
  client: DynamoDBClient,
  { table, name, restored }: Tables,
  { erased, write, now }: { erased: Erased; write: Write; now: number },
): Promise<Counts> => {
  const counts: Counts = { restored: 0, same: 0, different: 0, missing: 0, expired: 0, erased: 0, written: 0 };
  const count = (name: keyof Counts): boolean => {
    counts[name]++;
    return false;
  };
  const judge = (item: RawItem, live: RawItem | undefined): boolean => {
    counts.restored++;
    if (isExpired(item, now)) return count("expired");
    if (erased.isOfErasedOrganization(item)) return count("erased");
    const isSame = live !== undefined && isEqual(item, live);
    const isWritten = !isSame && (write === "different" || (write === "missing" && live === undefined));
    // Also an item that an earlier attempt has written: its erasures may not have been repeated.
    if (isSame || isWritten || live === undefined) erased.lookAt(item);
    count(isSame ? "same" : live === undefined ? "missing" : "different");
    return isWritten;
  };
  for await (const items of scanPages(client, restored)) {
    const live = await readSame(client, { table, name }, items);
    const chosen = items.map((item, index) => ({ item, live: live[index] })).filter((one) => judge(one.item, one.live));
    for (let start = 0; start < chosen.length; start += WRITES_AT_ONCE) {
      const written = chosen
        .slice(start, start + WRITES_AT_ONCE)
        .map((one) => writeBack(client, { table, name }, one.item, one.live));
      counts.written += (await Promise.all(written)).filter(Boolean).length;
    }
  }
  return counts;
};
