import { useAction } from "../../api/action.ts";
import { answer, api } from "../../api/client.ts";
import type { Connection } from "../../api/types.ts";
import { Confirm } from "../../parts/dialog.tsx";
import { notify } from "../../parts/notices.tsx";
import { AdviceNote } from "./advice-note.tsx";

type Props = { connection: Connection; onClose: () => void; onDone: () => void };

/** Asks, and says what happens. */
export const Disconnect = ({ connection, onClose, onDone }: Props) => {
  const { provider, accountId, method, webhookSetup } = connection;
  const disconnect = useAction(async () => {
    await answer(api.DELETE("/api/integrations/provider/connection"));
    return true;
  });
  const confirm = async (): Promise<void> => {
    if ((await disconnect.run(undefined)) === undefined) return;
    notify(`Disconnected from ${provider.name}. Syncing has stopped.`);
    onDone();
  };
  return (
    <Confirm
      title={`Disconnect from ${provider.name}?`}
      confirm="Disconnect"
      isDangerous
      isRunning={disconnect.isRunning}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      {accountId !== undefined && (
        <p>
          The account is <code>{accountId}</code>.
        </p>
      )}
      <ul class="connection-effects">
        <li>The stored credentials and webhook secrets are destroyed. Nobody can bring them back.</li>
        <li>Syncing stops at once, also a run that is under way. Webhooks are not accepted any more.</li>
        {webhookSetup?.endpointId !== undefined && (
          <li>The webhook endpoint that this service registered at {provider.name} is removed there.</li>
        )}
        <li>Records that were synced stay until you erase them.</li>
        <li>
          {method === "oauth"
            ? `${provider.name} is not told. Revoke the access there, too.`
            : `The API key stays valid at ${provider.name}. Delete it there.`}
        </li>
      </ul>
      {disconnect.problem !== undefined && <AdviceNote problem={disconnect.problem} />}
    </Confirm>
  );
};
