import { useMay } from "../../access.ts";
import { answer, api } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { Connection } from "../../api/types.ts";
import { Page } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { ConnectCard } from "./connect-card.tsx";
import { ConnectionStatus } from "./connection-status.tsx";
import { OAuthReturn } from "./oauth-return.tsx";

const REFRESH_MS = 15_000;

export const ConnectionView = () => {
  const mayManage = useMay("connection:manage");
  const connection = useResource(
    "connection",
    (signal) => answer(api.GET("/api/integrations/provider/connection", { signal })),
    { everyMs: REFRESH_MS },
  );
  const show = (connected: Connection): void => {
    connection.show(connected);
    // A read that began before must not show the state before.
    connection.reload();
  };
  return (
    <Page title="Connection" lead="Your organization’s account at the payment provider, and how it is connected.">
      <OAuthReturn onConnected={show} />
      <Loaded of={connection} what="the connection">
        {(current) => (
          <>
            <ConnectionStatus connection={current} onDisconnected={connection.reload} />
            {mayManage && <ConnectCard connection={current} onConnected={show} />}
          </>
        )}
      </Loaded>
    </Page>
  );
};
