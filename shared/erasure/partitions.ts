/** The partitions of an organization, in the tables where most of its data lies. */
import { organizationKey } from "../terms/keys.ts";
import { createPartition } from "./partition-store.ts";
import type { Partitions } from "./places.ts";

export type PartitionTables = Readonly<Record<keyof Partitions, string>>;

const SORT_KEYS = {
  ...{ records: "key", webhookEvents: "id", runs: "key", alerts: "key", detection: "key" },
  ...{ reports: "key", events: "id", rollups: "period", erasures: "key" },
} as const satisfies Record<keyof Partitions, string>;

export const partitionsIn =
  (client: Parameters<typeof createPartition>[0], tables: PartitionTables) =>
  (organizationId: string): Partitions => {
    const scope = organizationKey(organizationId);
    const partition = (name: keyof Partitions) =>
      createPartition(client, { tableName: tables[name], sortKey: SORT_KEYS[name], scope });
    return {
      records: partition("records"),
      webhookEvents: partition("webhookEvents"),
      runs: partition("runs"),
      alerts: partition("alerts"),
      detection: partition("detection"),
      reports: partition("reports"),
      events: partition("events"),
      rollups: partition("rollups"),
      erasures: partition("erasures"),
    };
  };
