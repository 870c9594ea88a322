import { describe, expect, it } from "@jest/globals";
import { targetOf } from "../../../infra/local/gateway/partiql-statement.ts";
import { statementOf } from "../../../shared/runtime/partiql.ts";
import { tableModel } from "../../support/embedded-dynamodb.ts";
import { tableDefinition } from "../../support/service-tables.ts";

const key = { scope: "org#acme", key: "customers#cus_1" };
const item = { ...key, name: "Ada", note: undefined, version: "v2" };
const tables = [tableModel(tableDefinition("records"))];

describe("the statement that replaces an item", () => {
  it.each([
    [
      "inserts an item that did not exist, without its undefined attributes",
      undefined,
      `INSERT INTO "records" VALUE {'scope': ?, 'key': ?, 'name': ?, 'version': ?}`,
      ["org#acme", "customers#cus_1", "Ada", "v2"],
    ],
    [
      "updates all attributes but the keys, if the version is the one that was read",
      { ...item, version: "v1" },
      `UPDATE "records" SET "name" = ?, "version" = ? WHERE "scope" = ? AND "key" = ? AND "version" = ?`,
      ["Ada", "v2", "org#acme", "customers#cus_1", "v1"],
    ],
    [
      "removes the attribute that the new item does not have",
      { ...item, note: "a", version: "v1" },
      `UPDATE "records" SET "name" = ?, "version" = ? REMOVE "note" WHERE "scope" = ? AND "key" = ? AND "version" = ?`,
      ["Ada", "v2", "org#acme", "customers#cus_1", "v1"],
    ],
  ])("%s", (_does, previous, Statement, Parameters) => {
    const statement = statementOf<"records">("records", "version", { key, item, previous });
    expect(statement).toEqual({ Statement, Parameters });
    expect(targetOf({ Statement, Parameters }, tables)).toMatchObject({ table: "records" });
  });

  it("does not exist if several attributes must be removed", () => {
    const previous = { ...item, note: "a", more: "b", version: "v1" };
    expect(statementOf<"records">("records", "version", { key, item, previous })).toBeUndefined();
  });
});
