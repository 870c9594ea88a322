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

type Props = { delivery: WebhookDelivery; list: Pick<LiveList<WebhookDelivery>, "put" | "reload"> };

/** Asks, shows the delivery as waiting at once, and takes that back if the service refuses. */
export const Replay = ({ delivery, list }: Props) => {
  const [asks, setAsks] = useState(false);
  const { id, type } = delivery;
  const replay = useAction(async (_: string, key) => {
    list.put(waitingAgain(delivery));
    try {
      const params = { path: { id }, header: { "Idempotency-Key": key } };
      list.put(await answer(api.POST("/api/integrations/provider/webhooks/{id}/replay", { params })));
      notify(`The delivery ${id} is being processed again.`);
    } catch (error) {
      list.put(delivery);
      notifyProblem(`The delivery ${id} was not replayed.`, asProblem(error));
      throw error;
    } finally {
      list.reload();
    }
  });
  return (
    <>
      <Button onClick={() => setAsks(true)} isRunning={replay.isRunning} aria-label={`Replay ${id}`}>
        Replay
      </Button>
      {asks && (
        <Confirm
          title="Replay this delivery?"
          confirm="Replay"
          onConfirm={() => {
            setAsks(false);
            void replay.run(id);
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
