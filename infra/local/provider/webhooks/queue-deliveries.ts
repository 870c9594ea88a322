import { createRandom } from "../../core/random.ts";
import type { NewEvent } from "../store/event-table.ts";
import type { Store } from "../store/store.ts";
import type { Target } from "./endpoint.ts";

/** Queues the deliveries of these events: in order, once each and at once, unless the endpoint is set to be unreliable. */
export const queueDeliveries = (
  store: Pick<Store, "deliveries" | "events">,
  account: number,
  { id: endpointId, endpoint }: Target,
  happened: readonly Pick<NewEvent, "id" | "type">[],
  nowMs: number,
): void => {
  const { enabledEvents, duplicate, drop, delayMs, shuffle, seed } = endpoint;
  const wanted = happened.filter(({ type }) => enabledEvents.includes("*") || enabledEvents.includes(type));
  const [first] = wanted;
  if (first === undefined || endpoint.disabled) return;
  const random = createRandom(`webhooks ${seed} ${first.id}`);
  const ordered = shuffle
    ? wanted
        .map((event) => ({ event, rank: random.fraction() }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ event }) => event)
    : wanted;
  for (const { id } of ordered) {
    const isDropped = random.chance(drop);
    const copies = random.chance(duplicate) ? 2 : 1;
    // A dropped delivery stays undelivered, and the feed shows it.
    store.events.addUndelivered(account, id, copies);
    if (isDropped) continue;
    for (let copy = 0; copy < copies; copy++)
      store.deliveries.insert({
        account,
        event: id,
        endpoint: endpointId,
        to_platform: 0,
        queued_at: nowMs,
        due_at: nowMs + random.int(delayMs + 1),
      });
  }
};
