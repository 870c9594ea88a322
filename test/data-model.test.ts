/** docs/data-model.md says what the code and the template say. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { readTemplates } from "../infra/flat-template.ts";
import { allBackgroundFunctions } from "../shared/api/background-functions.ts";
import { allRoutes } from "../shared/api/routes.ts";
import { bucketKeys, circuitKey, globalBucketKeys } from "../shared/circuit-breaker/circuit-keys.ts";
import { CONNECTED_COUNT_KEY } from "../shared/connection/connection-item.ts";
import {
  customRuleKey,
  deletedRuleKey,
  dryRunKey,
  ruleCountKey,
} from "../shared/detection/custom-rules/custom-rule-item.ts";
import {
  BASELINE_KEY,
  DETECTOR_SCOPE,
  unjudgedKey,
  userHash,
  userKey,
  windowKey,
} from "../shared/detection/detection.ts";
import { erasureKey } from "../shared/erasure/erasure-item.ts";
import { exportKey, runningKey } from "../shared/exports/export-item.ts";
import {
  COUNT_KEY,
  deliveryKey,
  destinationKey,
  heldKey,
  noticeKey,
  stormWindowKey,
} from "../shared/notifications/notification-items.ts";
import { itemKeyOf } from "../shared/records/record-item.ts";
import { contentKey, DISPATCHER_KEY, dueKey, ERASED_KEY, entryKey, linkKey } from "../shared/reports/report-keys.ts";
import {
  headScopes,
  hourKey,
  LEASE_KEY,
  LOG_SCOPE,
  lateKey,
  leafKey,
  recordKey,
  STATE_KEY,
  slotsKey,
} from "../shared/sealing/evidence-item.ts";
import { alertHash, alertId, resolvedKey, unresolvedKey } from "../shared/security/alerts/alert-item.ts";
import { noteKey } from "../shared/security/alerts/alert-note.ts";
import { SET_ASIDE_PREFIX } from "../shared/sync/set-aside-store.ts";
import { runKey, stateKey } from "../shared/sync/sync-item.ts";
import { organizationKey, partKey, unownedKey } from "../shared/terms/keys.ts";
import { needsOrganization } from "../shared/terms/permissions.ts";
import { type TableSpec, tables } from "../shared/terms/tables.ts";
import { assemblyDirectory } from "./support/assembly.ts";
import { statementsOfRole } from "./support/role-statements.ts";

const page = readFileSync(join(import.meta.dirname, "..", "docs", "data-model.md"), "utf8");

/** The rows of the table of a section; texts in backticks are without them. */
const rowsOf = (section: string): string[][] => {
  const [, text = ""] = page.split(`\n## ${section}\n`);
  const lines = text.split("\n## ")[0]?.split("\n") ?? [];
  const rows = lines.filter((line) => line.startsWith("| ")).slice(1);
  return rows.map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
};
const codeOf = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

type Properties = { Description: string; Role: { "Fn::GetAtt": [string, string] } };
const { Resources } = readTemplates(assemblyDirectory).flat as unknown as {
  Resources: Record<string, { Type: string; Properties: Properties }>;
};
const resourcesOf = (type: string) =>
  Object.entries(Resources)
    .filter(([, { Type }]) => Type === type)
    .map(([id, { Properties }]) => ({ id, ...Properties }));

/** The tables under the names that the page gives them. */
const declared = Object.entries<TableSpec>(tables).map(([name, spec]) => ({
  name: name.replace(/^./, (first) => first.toUpperCase()),
  ...spec,
}));

/** A key as the page writes it. */
const keyOf = (name: string | undefined, isNumber = false): string =>
  name === undefined ? "–" : `\`${name}\`${isNumber ? " (number)" : ""}`;

describe("the tables of the data model", () => {
  it("are those of the code, with keys and expiry", () => {
    const expected = declared.map(({ name, partitionKey, sortKey, sortKeyType, expires }) => [
      `\`${name}\``,
      keyOf(partitionKey),
      keyOf(sortKey, sortKeyType === "number"),
      expires ? "`ttl`" : "–",
    ]);
    expect(
      rowsOf("Tables")
        .map((row) => row.slice(0, 4))
        .sort(),
    ).toEqual(expected.sort());
  });

  it("have the indexes of the code, with keys and projections", () => {
    const expected = declared.flatMap(({ name, indexes = [] }) =>
      indexes.map((index) => [
        `\`${name}.${index.name}\``,
        keyOf(index.partitionKey),
        keyOf(index.sortKey, index.isSortedByTime),
        typeof index.holds === "string" ? [index.holds] : [...index.holds].sort(),
      ]),
    );
    const actual = rowsOf("Indexes").map(([index, partitionKey, sortKey, holds = ""]) => {
      const attributes = codeOf(holds).sort();
      return [index, partitionKey, sortKey, attributes.length === 0 ? [holds] : attributes];
    });
    expect(actual.sort()).toEqual(expected.sort());
  });
});

describe("the items of the data model", () => {
  const at = Date.UTC(2026, 10, 21, 10);
  const organization = "acme";
  const hash = alertHash("finding", "permission_escalation", "user:eve");
  const report = { kind: "compliance", from: Date.UTC(2026, 10, 21) } as const;
  const delivery = { destinationId: "<destination>", deliveryId: "<id>" };
  const examples: Record<string, readonly (string | undefined)[]> = {
    SecurityEvents: [organizationKey(organization), unownedKey("192.0.2.1")],
    SecurityAlerts: [
      unresolvedKey(hash),
      resolvedKey(alertId(hash, at, new Uint8Array(16))),
      noteKey(alertId(hash, at, new Uint8Array(16)), "<id>"),
    ],
    Circuits: [circuitKey(organization), bucketKeys(organization)[0], globalBucketKeys[0]],
    Connections: [CONNECTED_COUNT_KEY, partKey("account", "acct_1")],
    SyncRuns: [stateKey(organization).key, runKey(organization, "<id>").key, `${SET_ASIDE_PREFIX}<type>#<digest>`],
    Records: [itemKeyOf(organization, { type: "invoices", id: "in_1" }).key],
    Detection: [
      windowKey(at),
      unjudgedKey(at),
      BASELINE_KEY,
      DETECTOR_SCOPE,
      customRuleKey(organization, "<id>").key,
      dryRunKey(organization, "<id>").key,
      ruleCountKey(organization).key,
      deletedRuleKey(organization, "<id>").key,
      userKey(userHash(organizationKey(organization), "ada")),
    ],
    Reports: [
      entryKey(report),
      contentKey(report),
      dueKey(report),
      ERASED_KEY,
      linkKey("<id>"),
      DISPATCHER_KEY.scope,
      DISPATCHER_KEY.key,
    ],
    Evidence: [
      LOG_SCOPE,
      STATE_KEY,
      LEASE_KEY,
      leafKey(123),
      slotsKey(124, 0),
      headScopes[3],
      recordKey(12),
      hourKey(at),
      lateKey(at, 2),
    ],
    Erasures: [erasureKey(organization, "<id>").key],
    Exports: [exportKey(organization, "<id>").key, runningKey(organization).key],
    Notifications: [
      ...[destinationKey(organization, "<id>"), deliveryKey(organization, delivery)].map(({ key }) => key),
      noticeKey(organization, "<destination>", "<alert>").key,
      stormWindowKey(organization, "<destination>").key,
      heldKey(
        organization,
        { ...delivery, deliveryId: "<delivery>" },
        { alertId: "<alert>", claim: "resolved" },
      ).key.replace(/resolved$/, "<level or resolved>"),
      COUNT_KEY,
    ],
  };
  const itemsOf = (table: string): string[] => {
    let current = "";
    const keys: string[] = [];
    for (const [name = "", partitionKey = "", sortKey = ""] of rowsOf("Items")) {
      current = codeOf(name)[0] ?? current;
      if (current === table) keys.push(...codeOf(partitionKey), ...codeOf(sortKey));
    }
    return keys;
  };

  it.each(Object.entries(examples))("have the keys that the code makes: %s", (table, keys) => {
    expect(itemsOf(table)).toEqual(expect.arrayContaining([...keys]));
  });

  it("belong to every table", () => {
    expect(declared.filter(({ name }) => itemsOf(name).length === 0)).toEqual([]);
  });
});

describe("the rights of the data model", () => {
  const READS = ["GetItem", "BatchGetItem", "Query", "ConditionCheckItem"];
  const WRITES = ["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "PartiQLInsert", "PartiQLUpdate"];
  const listOf = <Value>(value: Value | Value[]): Value[] => (Array.isArray(value) ? value : [value]);

  const kebabCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const names = new Map([
    ...allRoutes.map(([name, { method, path }]) => [`${method} ${path}`, kebabCase(name)] as const),
    ...allBackgroundFunctions.map(([name, { description }]) => [description, name] as const),
    ["POST {webhook URL}/{organizationId}", "receive-webhook"] as const,
  ]);
  const functions = resourcesOf("AWS::Lambda::Function").flatMap(({ Description, Role }) => {
    const name = names.get(Description);
    return name === undefined ? [] : [{ name, statements: statementsOfRole(Resources, Role["Fn::GetAtt"][0]) }];
  });

  /** The functions that may do one of the actions with a table or its indexes. */
  const whoMay = (actions: readonly string[], table: string): string[] => {
    const [{ id } = { id: "" }] = resourcesOf("AWS::DynamoDB::Table").filter((one) =>
      one.id.startsWith(`Tables${table}`),
    );
    return functions
      .filter(({ statements }) =>
        statements.some(
          ({ Action, Resource }) =>
            listOf(Resource).some((resource) => JSON.stringify(resource).includes(`"${id}"`)) &&
            listOf(Action).some((action) => actions.includes(action.replace("dynamodb:", ""))),
        ),
      )
      .map(({ name }) => name)
      .sort();
  };
  const groups: Record<string, string[]> = {
    recorders: whoMay(["PutItem"], "SecurityEvents"),
    "integration endpoints": allRoutes
      .filter(([, { permission }]) => permission !== "public" && needsOrganization(permission))
      .map(([name]) => kebabCase(name)),
  };
  const expand = (cell: string): string[] => {
    const named = Object.entries(groups).flatMap(([group, members]) => (cell.includes(`*${group}*`) ? members : []));
    return [...new Set([...codeOf(cell), ...named])].sort();
  };

  it("are those of the roles", () => {
    const rows = rowsOf("Who reads and writes what").map(([table = "", read = "", written = ""]) => {
      return { table: codeOf(table)[0] ?? "", read: expand(read), written: expand(written) };
    });
    const expected = declared.map(({ name }) => ({
      table: name,
      read: whoMay(READS, name),
      written: whoMay(WRITES, name),
    }));
    const byTable = (a: { table: string }, b: { table: string }) => (a.table < b.table ? -1 : 1);
    expect(rows.sort(byTable)).toEqual(expected.sort(byTable));
  });

  it("never include Scan; only erasure has BatchWriteItem, and only sync runs write by PartiQL", () => {
    for (const { name } of declared) {
      expect(whoMay(["Scan", "PartiQLSelect", "PartiQLDelete"], name)).toEqual([]);
      expect(whoMay(["PartiQLInsert", "PartiQLUpdate"], name)).toEqual(name === "Records" ? ["run-sync"] : []);
      expect(whoMay(["BatchWriteItem"], name).filter((one) => one !== "run-erasure")).toEqual([]);
    }
  });

  it("have the recorders that the page names", () => {
    const [, text = ""] = page.split("*Recorders* are ");
    const named = codeOf(text.split(":")[0] ?? "");
    const routesWithToken = allRoutes
      .filter(([, { permission }]) => permission !== "public")
      .map(([name]) => kebabCase(name));
    expect([...named, ...routesWithToken].sort()).toEqual(groups.recorders);
  });
});
