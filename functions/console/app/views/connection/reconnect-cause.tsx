import { useMay } from "../../access.ts";
import { answer, api } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { Connection, SecurityEvent } from "../../api/types.ts";
import { RelativeTime } from "../../parts/values.tsx";
import { eventAddress } from "../../words/address.ts";
import { reconnectCause } from "./connection-words.ts";

/** The action of the event that ends a connection. */
const ENDED = "require_reconnect";

const Cause = ({ connection, event }: { connection: Connection; event?: SecurityEvent | undefined }) => (
  <div class="problem serious">
    <p>
      {reconnectCause(connection.method, event?.errorCode)}
      {event !== undefined && (
        <>
          {" "}
          That was <RelativeTime at={event.timestamp} /> (<a href={eventAddress(event.id)}>the event</a>).
        </>
      )}
    </p>
    <p>
      Nothing is synced until the account is connected again below. Records and webhook secrets are kept. If it was not
      you or a colleague, treat it as an incident.
    </p>
  </div>
);

const CauseFromEvents = ({ connection }: { connection: Connection }) => {
  const since = connection.connectedAt ?? 0;
  const events = useResource(`reconnect cause since ${since}`, async (signal) => {
    const query = { eventType: "AUTHENTICATION_FAILURE", riskLevel: "HIGH", since: String(since), limit: 100 } as const;
    return (await answer(api.GET("/api/integrations/provider/security", { params: { query }, signal }))).events;
  });
  return <Cause connection={connection} event={events.value?.find(({ action }) => action === ENDED)} />;
};

/** Why the account must be connected again; the exact cause for those who may see security events. */
export const ReconnectCause = ({ connection }: { connection: Connection }) =>
  useMay("security:read") ? <CauseFromEvents connection={connection} /> : <Cause connection={connection} />;
