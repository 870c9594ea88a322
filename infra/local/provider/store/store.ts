import { type AccountTable, openAccountTable } from "./account-table.ts";
import { type Database, openDatabase } from "./database.ts";
import { type DeliveryTable, openDeliveryTable } from "./delivery-table.ts";
import { type EventTable, openEventTable } from "./event-table.ts";
import { type GrantTable, openGrantTable } from "./grant-table.ts";
import { type IdempotencyTable, openIdempotencyTable } from "./idempotency-table.ts";
import { type ObjectTable, openObjectTable } from "./object-table.ts";

/** All tables of the simulator. */
export type Store = {
  database: Database;
  accounts: AccountTable;
  objects: ObjectTable;
  events: EventTable;
  grants: GrantTable;
  deliveries: DeliveryTable;
  idempotency: IdempotencyTable;
};

export const openStore = (dataDirectory: string): Store => {
  const database = openDatabase(dataDirectory);
  return {
    database,
    accounts: openAccountTable(database),
    objects: openObjectTable(database),
    events: openEventTable(database),
    grants: openGrantTable(database),
    deliveries: openDeliveryTable(database),
    idempotency: openIdempotencyTable(database),
  };
};
