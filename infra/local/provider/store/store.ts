import { openAccountTable } from "./account-table.ts";
import { openActivityTable } from "./activity-table.ts";
import { openDatabase } from "./database.ts";
import { openDeliveryTable } from "./delivery-table.ts";
import { openEventTable } from "./event-table.ts";
import { openGrantTable } from "./grant-table.ts";
import { openIdempotencyTable } from "./idempotency-table.ts";
import { openObjectTable } from "./object-table.ts";

/** All tables of the simulator. */
export type Store = ReturnType<typeof openStore>;

export const openStore = (dataDirectory: string) => {
  const database = openDatabase(dataDirectory);
  return {
    database,
    accounts: openAccountTable(database),
    objects: openObjectTable(database),
    events: openEventTable(database),
    activity: openActivityTable(database),
    grants: openGrantTable(database),
    deliveries: openDeliveryTable(database),
    idempotency: openIdempotencyTable(database),
  };
};
