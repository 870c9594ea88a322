/** Reads objects at the provider on an event's behalf: through the circuit, and as the connection that it belongs to. */
import type { OpenConnection } from "../connection/open-connection.ts";
import type { Provider, ProviderAccess } from "../provider/provider.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { EventConnection, ProcessParts } from "./process.ts";

type Parts = { openConnection: OpenConnection; access: Pick<ProviderAccess, "open"> };

/** Most events need no reading, so the credentials are opened when the first object is read. */
export const createReread = ({ openConnection, access }: Parts): ProcessParts["reread"] => {
  const open = async (organizationId: string, wanted: EventConnection): Promise<Provider> => {
    const { connection, credentials } = await openConnection(organizationId, { source: "webhook" });
    if (connection.connectionId !== wanted.connectionId) {
      throw new DomainError("not_connected", "The account was connected anew meanwhile.");
    }
    return access.open(credentials, { organizationId, source: "webhook", accountId: connection.accountId });
  };

  return (organizationId, connection) => {
    let opened: Promise<Provider> | undefined;
    return async (type, id) => {
      opened ??= open(organizationId, connection);
      return (await opened).readObject(type, id);
    };
  };
};
