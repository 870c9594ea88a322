/** What the connection's item says about its key (key.ts) and about the alerts of the key (key-alerts.ts). */
import { newRequestToken } from "../runtime/ids.ts";
import { type Table, unchanged } from "../runtime/table.ts";
import type { ConnectedItem } from "./connection-item.ts";
import { createConnectionWriter } from "./connection-writer.ts";
import type { KeyAlerts, StoredKey } from "./key.ts";

export type KeyStore = ReturnType<typeof createKeyStore>;

/** One write unit a call; all throw DomainError `store_unavailable`. */
export const createKeyStore = (table: Table<"connections">) => {
  const write = createConnectionWriter(table);
  return {
    /** Describes the key of a connection that an earlier version of the service stored, unless it was replaced since. */
    describe: (
      organizationId: string,
      { connectionId, credentialsVersion }: Pick<ConnectedItem, "connectionId" | "credentialsVersion">,
      key: StoredKey,
    ): Promise<boolean> =>
      write(
        organizationId,
        {
          set: { key, token: newRequestToken() },
          condition: "#connectionId = :own AND #credentialsVersion = :version AND attribute_not_exists(#key)",
          values: { own: connectionId, version: credentialsVersion },
        },
        "token",
      ),

    /**
     * Notes the alerts that were raised for a key; undefined for none.
     * @returns false if the key or the note was changed since they were read.
     */
    noteAlerts(
      organizationId: string,
      { key, before, after }: Record<"before" | "after", KeyAlerts | undefined> & { key: StoredKey | undefined },
    ): Promise<boolean> {
      const same = [unchanged("keyAlerts", before), unchanged("key", key)];
      return write(
        organizationId,
        {
          set: { token: newRequestToken(), ...(after !== undefined && { keyAlerts: after }) },
          remove: after === undefined ? ["keyAlerts"] : [],
          condition: same.map(({ condition }) => condition).join(" AND "),
          values: Object.assign({}, ...same.map(({ values }) => values)),
        },
        "token",
      );
    },
  };
};
