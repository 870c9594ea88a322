import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { inTransaction } from "../../core/in-transaction.ts";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS accounts (
    id INTEGER PRIMARY KEY AUTOINCREMENT, account_id TEXT NOT NULL UNIQUE, api_key TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL, country TEXT NOT NULL, currency TEXT NOT NULL, api_version TEXT NOT NULL,
    created INTEGER NOT NULL, changes INTEGER NOT NULL DEFAULT 0, ready INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE IF NOT EXISTS objects (
    position INTEGER PRIMARY KEY, account INTEGER NOT NULL, type TEXT NOT NULL, id TEXT NOT NULL,
    created INTEGER NOT NULL, deleted INTEGER NOT NULL, status TEXT, customer TEXT, parent TEXT, state TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS objects_by_id ON objects (account, id);
  CREATE INDEX IF NOT EXISTS objects_by_created ON objects (account, type, created, position, deleted, status);
  CREATE INDEX IF NOT EXISTS objects_by_customer ON objects (account, customer, type, created) WHERE customer IS NOT NULL;
  CREATE INDEX IF NOT EXISTS objects_by_parent ON objects (account, parent, type, created) WHERE parent IS NOT NULL;
  CREATE TABLE IF NOT EXISTS events (
    position INTEGER PRIMARY KEY, account INTEGER NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL,
    created INTEGER NOT NULL, api_version TEXT NOT NULL, data TEXT NOT NULL, undelivered INTEGER NOT NULL DEFAULT 0,
    request TEXT, idempotency_key TEXT
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS events_by_id ON events (account, id);
  CREATE INDEX IF NOT EXISTS events_by_created ON events (account, created, position);
  CREATE TABLE IF NOT EXISTS grants (
    secret TEXT PRIMARY KEY, kind TEXT NOT NULL, account INTEGER NOT NULL, expires_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS faults (id INTEGER PRIMARY KEY AUTOINCREMENT, fault TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS endpoints (account INTEGER PRIMARY KEY, endpoint TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS registered_endpoints (
    id TEXT PRIMARY KEY, account INTEGER NOT NULL, endpoint TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS activity (
    position INTEGER PRIMARY KEY, account INTEGER NOT NULL, id TEXT NOT NULL UNIQUE, created INTEGER NOT NULL,
    listed_at INTEGER NOT NULL, entry TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS activity_by_created ON activity (account, created, position);
  CREATE TABLE IF NOT EXISTS deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT, account INTEGER NOT NULL, event TEXT NOT NULL, endpoint TEXT,
    queued_at INTEGER NOT NULL, due_at INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, problem TEXT,
    to_platform INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX IF NOT EXISTS deliveries_by_due ON deliveries (due_at);
  CREATE TABLE IF NOT EXISTS idempotency (
    account INTEGER NOT NULL, key TEXT NOT NULL, request TEXT NOT NULL, request_id TEXT NOT NULL,
    status INTEGER NOT NULL, body TEXT NOT NULL, created_at INTEGER NOT NULL, PRIMARY KEY (account, key)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS idempotency_by_time ON idempotency (created_at);
`;

/** In place of a data directory. */
export const IN_MEMORY = ":memory:";

/** The simulator's database. */
export type Database = {
  /** The statement of this text, prepared once. */
  statement(sql: string): StatementSync;
  /** Runs the work in a transaction; the work must be synchronous. */
  transaction<T>(work: () => T): T;
  close(): void;
};

/** Adds the columns that files of earlier versions lack. */
const addColumns = (database: DatabaseSync): void => {
  const add = (table: string, name: string, type: string) => {
    const columns = database.prepare("SELECT name FROM pragma_table_info(?)").all(table);
    if (!columns.some((one) => one.name === name)) database.exec(`ALTER TABLE ${table} ADD COLUMN ${name} ${type}`);
  };
  add("deliveries", "to_platform", "INTEGER NOT NULL DEFAULT 0");
  add("deliveries", "endpoint", "TEXT");
  add("events", "request", "TEXT");
  add("events", "idempotency_key", "TEXT");
};

/** Opens `provider.sqlite` of the data directory, or an empty database in memory. A write survives a killed process. */
export const openDatabase = (dataDirectory: string | typeof IN_MEMORY): Database => {
  if (dataDirectory !== IN_MEMORY) mkdirSync(dataDirectory, { recursive: true });
  const file = dataDirectory === IN_MEMORY ? IN_MEMORY : join(dataDirectory, "provider.sqlite");
  const database = new DatabaseSync(file);
  // OFF survives the end of the process but not a power cut: the data are generated, and every start is ten times faster.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;");
  database.exec("PRAGMA wal_autocheckpoint = 20000;");
  database.exec(SCHEMA);
  addColumns(database);
  const statements = new Map<string, StatementSync>();
  return {
    statement(sql) {
      const known = statements.get(sql) ?? database.prepare(sql);
      statements.set(sql, known);
      return known;
    },
    transaction: (work) => inTransaction(database, work),
    close: () => database.close(),
  };
};
