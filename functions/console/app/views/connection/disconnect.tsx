import { answer, api } from "../../api/client.ts";
import type { Connection } from "../../api/types.ts";
import { Confirm, useConfirmed } from "../../parts/dialog.tsx";
import { notify } from "../../parts/notices.ts";
import { Bullets } from "../../parts/page.tsx";
import { AdviceNote } from "./advice-note.tsx";

type Props = { connection: Connection; onClose: () => void; onDone: () => void };

/** Asks, and says what happens. */
export const Disconnect = ({ connection, onClose, onDone }: Props) => {
  const { provider, accountId, method, webhookSetup } = connection;
  const disconnect = useConfirmed(
    (_: undefined) => answer(api.DELETE("/api/integrations/provider/connection")),
    () => {
      notify(`Disconnected from ${provider.name}. Syncing has stopped.`);
      onDone();
    },
  );
  return (
    <Confirm
      title={`Disconnect from ${provider.name}?`}
      confirm="Disconnect"
      isDangerous
      action={disconnect}
      explain={(problem) => <AdviceNote problem={problem} />}
      onConfirm={() => disconnect.confirm(undefined)}
      onClose={onClose}
    >
      {accountId !== undefined && (
        <p>
          The account is <code>{accountId}</code>.
        </p>
      )}
      <Bullets
        of={[
          "The stored credentials and webhook secrets are destroyed. Nobody can bring them back.",
          "Syncing stops at once, also a run that is under way. Webhooks are not accepted any more.",
          ...(webhookSetup?.endpointId === undefined
            ? []
            : [`The webhook endpoint that this service registered at ${provider.name} is removed there.`]),
          "Records that were synced stay until you erase them.",
          method === "oauth"
            ? `${provider.name} is not told. Revoke the access there, too.`
            : `The API key stays valid at ${provider.name}. Delete it there.`,
        ]}
      />
    </Confirm>
  );
};
