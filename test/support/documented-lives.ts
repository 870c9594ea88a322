/** How long items live by docs/data-model.md, "Items", and which stored items do not keep to it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DynamoDBDocumentClient, paginateScan } from "@aws-sdk/lib-dynamodb";
import { type TableName, type TableSpec, tables } from "../../shared/terms/tables.ts";
import { controlOf } from "./control.ts";
import { engineClient } from "./everything.ts";
import type { Service } from "./service.ts";

const SECONDS: Record<string, number> = { min: 60, hour: 3_600, day: 86_400 };
/** Of deployments without a setting. */
const RETENTION_SECONDS = 90 * 86_400;
/** A month: its report is marked while the month lasts. */
const LONGEST_PERIOD_SECONDS = 31 * 86_400;

/** The seconds that a cell of the column "Expires" names; undefined: the item stays. */
const secondsOf = (cell: string): number | undefined => {
  if (cell === "never") return undefined;
  const [, count = "", unit = ""] = /\b(a|an|\d+) (min|hour|day)/.exec(cell) ?? [];
  const named = unit === "" ? 0 : (SECONDS[unit] ?? 0) * (Number(count) || 1);
  const since = cell.includes("its period") ? LONGEST_PERIOD_SECONDS : 0;
  return since + named + (cell.includes("`") || named === 0 || cell.includes("its alert") ? RETENTION_SECONDS : 0);
};

/** Kinds of items: the beginnings of their keys, as `hour#`, or whole keys, and their longest life. */
type Kind = { table: string; keys: readonly string[]; seconds: number | undefined };

const readKinds = (): Kind[] => {
  const page = readFileSync(join(import.meta.dirname, "..", "..", "docs", "data-model.md"), "utf8");
  const section = page.split("\n## Items\n")[1]?.split("\n## ")[0] ?? "";
  const rows = section
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(1);
  let table = "";
  let expires = "";
  return rows.map((row) => {
    const [, name = "", partition = "", sort = "", , cell = ""] = row.split("|").map((text) => text.trim());
    table = /`(.+)`/.exec(name)?.[1] ?? table;
    if (cell !== "the same") expires = cell;
    const codes = [...(sort === "–" ? partition : sort).matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
    return { table, keys: codes.map((code) => /^[a-z]+#/.exec(code)?.[0] ?? code), seconds: secondsOf(expires) };
  });
};

/** An id or a time, which says nothing about the kind. */
const isFree = (key: string): boolean => /^(evt_|\d|POST )/.test(key);

const kindOf = (kinds: readonly Kind[], key: string): Kind | undefined =>
  kinds.find(({ keys }) => keys.some((one) => (one.endsWith("#") ? key.startsWith(one) : key === one))) ??
  kinds.find(({ keys }) => keys.some(isFree));

const isSeconds = (ttl: unknown): ttl is number => Number.isInteger(ttl) && Number(ttl) < 100_000_000_000;

type Tables = { client: DynamoDBDocumentClient; names: Readonly<Record<string, string>> };

const isTableName = (name: string): name is TableName => Object.hasOwn(tables, name);

/**
 * The items of tables that docs/data-model.md does not name, or whose `ttl` is not in seconds and within the documented
 * life, as sentences. A tenth and an hour are added to a life, because some begin after the item is written.
 * @param names by which tables are read; those of other names than the service's are not checked @param now epoch ms of a whole service; without it, rows and lengths of lives are not checked
 */
export const undocumentedLives = async ({ client, names }: Tables, now?: number): Promise<string[]> => {
  const kinds = readKinds();
  const latestOf = (seconds: number) => (now === undefined ? Infinity : now / 1_000 + seconds * 1.1 + 3_600);
  const fault = (kind: Kind | undefined, ttl: unknown): string | undefined => {
    if (kind === undefined && now !== undefined) return "has no row in the data model";
    if (ttl === undefined) return undefined;
    if (!isSeconds(ttl)) return `has a ttl that is not in seconds: ${ttl}`;
    if (kind === undefined) return undefined;
    if (kind.seconds === undefined) return "never expires, by the data model";
    return ttl > latestOf(kind.seconds) ? `expires at ${ttl}, later than ${kind.seconds} s from now` : undefined;
  };
  const found: string[] = [];
  for (const [name, TableName] of Object.entries(names)) {
    if (!isTableName(name)) continue;
    const { partitionKey, sortKey, expires }: TableSpec = tables[name];
    if (!expires) continue;
    const table = name.replace(/^./, (first) => first.toUpperCase());
    const ofTable = kinds.filter((kind) => kind.table === table);
    for await (const { Items = [] } of paginateScan({ client }, { TableName })) {
      for (const { [sortKey ?? partitionKey]: key, ttl } of Items) {
        const wrong = fault(kindOf(ofTable, String(key)), ttl);
        if (wrong !== undefined) found.push(`${table} ${key} ${wrong}`);
      }
    }
  }
  return found;
};

/** `undocumentedLives` of all items of a running service. */
export const undocumentedLivesOf = async (service: Pick<Service, "stack">): Promise<string[]> => {
  const engine = engineClient(service);
  const names = Object.keys(tables).map((name) => {
    const logicalName = `Tables${name.replace(/^./, (first) => first.toUpperCase())}`;
    return [name, service.stack.tables.find((one) => one.includes(logicalName))];
  });
  const client = DynamoDBDocumentClient.from(engine);
  const found = await undocumentedLives({ client, names: Object.fromEntries(names) }, await controlOf(service).now());
  engine.destroy();
  return found;
};
