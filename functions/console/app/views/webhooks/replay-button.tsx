import type { WebhookDelivery } from "../../api/types.ts";
import { AskingButton, Confirm } from "../../parts/dialog.tsx";

type Props = { delivery: WebhookDelivery; onConfirm: () => void };

/** Asks before the delivery is replayed. */
export const ReplayButton = ({ delivery: { id, type }, onConfirm }: Props) => (
  <AskingButton name="Replay" aria-label={`Replay ${id}`}>
    {(close) => (
      <Confirm
        title="Replay this delivery?"
        confirm="Replay"
        onConfirm={() => {
          close();
          onConfirm();
        }}
        onClose={close}
      >
        <p>
          The event <code>{id}</code> ({type}) is processed again, with up to ten tries.
        </p>
        <p>
          It changes only records that are older than the event. An event that is processed twice is applied once. The
          replay is recorded as a security event with your name.
        </p>
      </Confirm>
    )}
  </AskingButton>
);
