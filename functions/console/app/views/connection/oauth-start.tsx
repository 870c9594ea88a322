import { useState } from "preact/hooks";
import { useAction } from "../../api/action.ts";
import { answer, api } from "../../api/client.ts";
import { externalUrl } from "../../external-url.ts";
import { Button } from "../../parts/button.tsx";
import { AdviceNote } from "./advice-note.tsx";

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
