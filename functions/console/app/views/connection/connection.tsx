import { useState } from "preact/hooks";
import { useMay } from "../../access.ts";
import { useConnection } from "../../api/reads.ts";
import type { Connection } from "../../api/types.ts";
import { Options } from "../../parts/options.tsx";
import { Card, Page } from "../../parts/page.tsx";
import { Loaded, WhyMissing } from "../../parts/states.tsx";
import { ApiKeyForm } from "./api-key-form.tsx";
import { ConnectionStatus } from "./connection-status.tsx";
import { OAuthReturn, OAuthStart } from "./oauth.tsx";

const REFRESH_MS = 15_000;

export const View = () => {
  const mayManage = useMay("connection:manage");
  const connection = useConnection(REFRESH_MS);
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
            <ConnectionStatus connection={current} onUpdated={show} onDisconnected={connection.reload} />
            {mayManage && <ConnectCard connection={current} onConnected={show} />}
            <WhyMissing needs="connection:manage" />
          </>
        )}
      </Loaded>
    </Page>
  );
};

const TITLES: Readonly<Record<Connection["status"], string>> = {
  connected: "Replace the credentials",
  needs_reconnect: "Connect again",
  disconnected: "Connect an account",
};

const METHODS = [
  { value: "api_key", name: "API key", text: "You create a key at the provider and enter it here." },
  { value: "oauth", name: "OAuth", text: "You grant access on the provider’s page. No key changes hands." },
] as const;

type Method = (typeof METHODS)[number]["value"];

type Props = { connection: Connection; onConnected: (connection: Connection) => void };

const ConnectCard = ({ connection, onConnected }: Props) => {
  const { status, provider } = connection;
  const [method, setMethod] = useState<Method>(connection.method ?? "api_key");
  const content = (
    <>
      <Options legend="Method" options={METHODS} value={method} onChoose={setMethod} />
      {method === "api_key" ? (
        <ApiKeyForm connection={connection} onConnected={onConnected} />
      ) : (
        <OAuthStart providerName={provider.name} />
      )}
    </>
  );
  return (
    <Card title={TITLES[status]}>
      {status === "connected" ? (
        <details>
          <summary>Connect the same account with other credentials</summary>
          <p class="quiet">
            The present credentials stay in use until the new ones are accepted. Another account can be connected only
            after the records of this one are erased.
          </p>
          {content}
        </details>
      ) : (
        content
      )}
    </Card>
  );
};
