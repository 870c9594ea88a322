import { answer, api, once } from "../../api/client.ts";
import type { LiveList } from "../../api/live-list.ts";
import type { WebhookDelivery } from "../../api/types.ts";
import { AskingButton, Confirm } from "../../parts/dialog.tsx";
import { notify, useNotifiedAction } from "../../parts/notices.tsx";
import { waitingAgain } from "./delivery-words.ts";

type Replaying = {
  /** The delivery as it is expected to be while the service is asked, even if it is read again before the answer. */
  shown: WebhookDelivery;
  replay: () => void;
};

export const useReplay = (
  delivery: WebhookDelivery,
  list: Pick<LiveList<WebhookDelivery>, "put" | "reload">,
): Replaying => {
  const { isRunning, run } = useNotifiedAction(
    `The delivery ${delivery.id} was not replayed.`,
    async (id: string, key) => {
      try {
        const params = { path: { id }, ...once(key) };
        list.put(await answer(api.POST("/api/integrations/provider/webhooks/{id}/replay", { params })));
        notify(`The delivery ${id} is being processed again.`);
      } finally {
        list.reload();
      }
    },
  );
  return { shown: isRunning ? waitingAgain(delivery) : delivery, replay: () => void run(delivery.id) };
};

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
