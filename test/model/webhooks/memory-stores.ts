/** In-memory webhook stores with the tables' conditions. Some histories run on a real engine to verify them. */
import type { WebhookEvent } from "../../../shared/webhooks/webhook-event.ts";
import { decodeObservations, encodeObservations } from "../../../shared/webhooks/webhook-event.ts";
import type { DeliveredEvents, WebhookEventStore } from "../../../shared/webhooks/webhook-event-store.ts";

type Stored = { organizationId: string; event: WebhookEvent; isPending: boolean };

export type WebhookStores = WebhookEventStore & DeliveredEvents;

export const webhooksInMemory = (): WebhookStores => {
  const items = new Map<string, Stored>();
  const nameOf = (organizationId: string, id: string) => JSON.stringify([organizationId, id]);
  return {
    async add(organizationId, event) {
      const name = nameOf(organizationId, event.id);
      const before = items.get(name);
      if (before !== undefined) return before.isPending ? "pending" : "done";
      const observations = decodeObservations(encodeObservations(event.observations));
      items.set(name, {
        organizationId,
        event: { ...event, observations },
        isPending: event.outcome === undefined,
      });
      return "new";
    },
    async read(organizationId, id) {
      return structuredClone(items.get(nameOf(organizationId, id))?.event);
    },
    async markPublished({ organizationId, id }) {
      const item = items.get(nameOf(organizationId, id));
      if (item !== undefined) item.isPending = false;
    },
    async markProcessed({ organizationId, id }, outcome, at) {
      const item = items.get(nameOf(organizationId, id));
      if (item === undefined) return;
      item.isPending = false;
      item.event = { ...item.event, outcome, processedAt: at };
    },
    noteFailure: async () => undefined,
    async listPending({ before, limit }) {
      return [...items.values()]
        .filter(({ isPending, event }) => isPending && event.receivedAt < before)
        .slice(0, limit)
        .map(({ organizationId, event: { id } }) => ({ organizationId, id }));
    },
    async delivered(organizationId, eventIds) {
      return new Set(eventIds.filter((id) => items.get(nameOf(organizationId, id))?.event.outcome === "applied"));
    },
  };
};
