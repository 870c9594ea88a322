/** What the connection's item says about its webhook endpoint (endpoint-check.ts). */
import { newRequestToken } from "../runtime/ids.ts";
import type { Table } from "../runtime/table.ts";
import type { ConnectedItem } from "./connection-item.ts";
import { createConnectionWriter } from "./connection-writer.ts";
import type { EndpointCheck } from "./endpoint-check.ts";

export type EndpointCheckStore = ReturnType<typeof createEndpointCheckStore>;

export const createEndpointCheckStore = (table: Table<"connections">) => {
  const write = createConnectionWriter(table);
  return {
    /**
     * Stores a check, unless the connection or its endpoint was replaced since. One write unit.
     * @returns whether it is stored. @throws DomainError `store_unavailable`.
     */
    note: (
      organizationId: string,
      { connectionId }: Pick<ConnectedItem, "connectionId">,
      check: EndpointCheck,
    ): Promise<boolean> =>
      write(
        organizationId,
        {
          set: { endpointCheck: check, token: newRequestToken() },
          condition: "#connectionId = :own AND #webhookEndpointId = :endpoint",
          values: { own: connectionId, endpoint: check.of },
        },
        "token",
      ),
  };
};
