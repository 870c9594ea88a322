import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { useMay } from "../../access.ts";
import { useAction } from "../../api/action.ts";
import { answer, api } from "../../api/client.ts";
import type { Connection } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { notify } from "../../parts/notices.ts";
import { externalUrl } from "../../words/address.ts";
import { AdviceNote } from "./advice-note.tsx";
import { type ProviderReturn, RETURN_PATH, readReturn } from "./connection-words.ts";

/**
 * Completes a connect by OAuth when the provider has returned to this view. The code stays in the address until the service
 * has answered: until then, a reload must be able to send it again.
 */
export const OAuthReturn = ({ onConnected }: { onConnected: (connection: Connection) => void }) => {
  const { query, route } = useLocation();
  const mayManage = useMay("connection:manage");
  // The address is cleaned, and a failure still shows what it was about.
  const [returned] = useState<ProviderReturn | undefined>(() => readReturn(query));
  const connect = useAction(({ code, state }: { code: string; state: string }) =>
    answer(api.PUT("/api/integrations/provider/connection", { body: { method: "oauth", code, state } })),
  );
  const complete = async (): Promise<void> => {
    if (returned?.outcome !== "granted") return;
    const connection = await connect.run(returned);
    if (connection === undefined) return;
    notify(`Connected to ${connection.accountId ?? connection.provider.name}. The first sync has started.`);
    onConnected(connection);
  };

  const isStarted = useRef(false);
  useEffect(() => {
    if (isStarted.current || returned === undefined) return;
    isStarted.current = true;
    if (returned.outcome === "granted" && mayManage) void complete();
    else route(RETURN_PATH, true);
  }, []);

  const isSettled = isStarted.current && !connect.isRunning && !connect.problem?.isTemporary;
  useEffect(() => {
    if (isSettled && (query.code ?? query.error) !== undefined) route(RETURN_PATH, true);
  }, [isSettled]);

  if (returned === undefined) return null;
  if (returned.outcome === "refused")
    return (
      <p class="problem" role="alert">
        The provider did not grant access: {returned.reason}. Nothing has changed. Start again when you are ready.
      </p>
    );
  if (!mayManage)
    return (
      <p class="problem" role="alert">
        Your role may not connect an account, so the provider’s answer was not used.
      </p>
    );
  if (connect.problem !== undefined)
    return (
      <AdviceNote problem={connect.problem} onRetry={connect.problem.isTemporary ? () => void complete() : undefined} />
    );
  return connect.isRunning ? (
    <p class="problem accent" role="status">
      The provider has granted access. Connecting …
    </p>
  ) : null;
};

/** Leaves for the provider's page. The provider returns to this view (oauth-return.tsx). */
export const OAuthStart = ({ providerName }: { providerName: string }) => {
  const [isRefused, setRefused] = useState(false);
  const authorize = useAction(() => answer(api.POST("/api/integrations/provider/connection/authorize")));
  const start = async (): Promise<void> => {
    setRefused(false);
    const authorization = await authorize.run(undefined);
    if (authorization === undefined) return;
    const url = externalUrl(authorization.url);
    if (url === undefined) setRefused(true);
    else location.assign(url);
  };
  return (
    <>
      <p>
        {providerName} asks which account to connect, and comes back here. The events of accounts that are connected in
        this way arrive without a webhook of their own.
      </p>
      {authorize.problem !== undefined && <AdviceNote problem={authorize.problem} onRetry={() => void start()} />}
      {isRefused && (
        <p class="problem" role="alert">
          The service named a page that is not encrypted, so the console does not go there. Ask those who run the
          deployment to correct the provider’s authorization URL.
        </p>
      )}
      <Button kind="main" isRunning={authorize.isRunning} onClick={() => void start()}>
        Continue at {providerName}
      </Button>
    </>
  );
};
