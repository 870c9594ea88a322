import { type TableName, tableVariable } from "../terms/tables.ts";
import { readConfig } from "./config.ts";
import { documentClient } from "./document-client.ts";
import { createTable, type Table } from "./table.ts";

/**
 * A table of the deployment.
 * @throws Error at cold start if the function's environment does not name the table.
 */
export const openTable = <Name extends TableName>(name: Name): Table<Name> => {
  const variable = tableVariable(name);
  return createTable<Name>(documentClient, readConfig([variable])[variable]);
};
