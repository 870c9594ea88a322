import { answer, api, once } from "../../api/client.ts";
import type { LiveList } from "../../api/live-list.ts";
import type { WebhookDelivery } from "../../api/types.ts";
import { notify, useItemAction } from "../../parts/notices.ts";
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
  const failed = `The delivery ${delivery.id} was not replayed.`;
  const { isRunning, run } = useItemAction<WebhookDelivery>(failed, list, async (id, key) => {
    const params = { path: { id }, ...once(key) };
    const replayed = await answer(api.POST("/api/integrations/provider/webhooks/{id}/replay", { params }));
    notify(`The delivery ${id} is being processed again.`);
    return replayed;
  });
  return { shown: isRunning ? waitingAgain(delivery) : delivery, replay: () => void run(delivery.id) };
};
