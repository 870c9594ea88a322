import type { DatabaseSync } from "node:sqlite";

/** Runs `work` in one transaction of SQLite: all its changes are stored, or none if it throws. */
export const inTransaction = <Result>(database: DatabaseSync, work: () => Result): Result => {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
};
