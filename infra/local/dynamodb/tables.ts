import type { TableModel } from "../template/model.ts";

/**
 * Makes the tables that do not exist yet; adds indexes that a table lacks.
 * @throws Error naming the table whose existing keys or indexes differ in a way that needs a new data directory.
 */
export const createTables = (_endpoint: string, _tables: readonly TableModel[]): Promise<void> =>
  Promise.reject(new Error("being built"));
