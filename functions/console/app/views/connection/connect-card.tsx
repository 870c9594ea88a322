import { useState } from "preact/hooks";
import type { Connection } from "../../api/types.ts";
import { Options } from "../../parts/options.tsx";
import { Card } from "../../parts/page.tsx";
import { ApiKeyForm } from "./api-key-form.tsx";
import { OAuthStart } from "./oauth-start.tsx";

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

export const ConnectCard = ({ connection, onConnected }: Props) => {
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
