import { useState } from "preact/hooks";
import { useAction } from "../../api/action.ts";
import { answer, api } from "../../api/client.ts";
import type { LiveList } from "../../api/live-list.ts";
import { asProblem } from "../../api/problem.ts";
import type { WebhookDelivery } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { notify, notifyProblem } from "../../parts/notices.tsx";
import { waitingAgain } from "./delivery-words.ts";

type Replaying = {
  /** The delivery as it is expected to be while the service is asked, also when it is read again meanwhile. */
  shown: WebhookDelivery;
  replay: () => void;
};

export const useReplay = (
  delivery: WebhookDelivery,
  list: Pick<LiveList<WebhookDelivery>, "put" | "reload">,
): Replaying => {
  const { isRunning, run } = useAction(async (id: string, key) => {
    try {
      const params = { path: { id }, header: { "Idempotency-Key": key } };
      list.put(await answer(api.POST("/api/integrations/provider/webhooks/{id}/replay", { params })));
      notify(`The delivery ${id} is being processed again.`);
    } catch (error) {
      notifyProblem(`The delivery ${id} was not replayed.`, asProblem(error));
      throw error;
    } finally {
      list.reload();
    }
  });
  return { shown: isRunning ? waitingAgain(delivery) : delivery, replay: () => void run(delivery.id) };
};

type Props = { delivery: WebhookDelivery; onConfirm: () => void };

/** Asks before the delivery is replayed. */
export const ReplayButton = ({ delivery: { id, type }, onConfirm }: Props) => {
  const [asks, setAsks] = useState(false);
  return (
    <>
      <Button onClick={() => setAsks(true)} aria-label={`Replay ${id}`}>
        Replay
      </Button>
      {asks && (
        <Confirm
          title="Replay this delivery?"
          confirm="Replay"
          onConfirm={() => {
            setAsks(false);
            onConfirm();
          }}
          onClose={() => setAsks(false)}
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
    </>
  );
};
