/** The functions of webhooks and syncs with simulated stores, bus, queue and provider. */
import { createHmac } from "node:crypto";
import { CircuitOpenError } from "../../../shared/circuit-breaker/guard.ts";
import type { Provider } from "../../../shared/provider/provider.ts";
import { parseDeliveredEvent } from "../../../shared/provider/stripe/events.ts";
import { hasValidSignature } from "../../../shared/provider/stripe/verify-signature.ts";
import { createApply } from "../../../shared/records/apply.ts";
import type { ObservedAt } from "../../../shared/records/observation.ts";
import type { RecordType } from "../../../shared/records/record.ts";
import type { ListedId } from "../../../shared/records/record-item.ts";
import type { RecordStore } from "../../../shared/records/record-store.ts";
import type { BusEvent, EventBus } from "../../../shared/runtime/event-bus.ts";
import { createProcess, type ProcessDependencies } from "../../../shared/webhooks/process.ts";
import { createReceive, type ReceiveDependencies } from "../../../shared/webhooks/receive.ts";
import { publishPending, WebhookReceived } from "../../../shared/webhooks/webhook-outbox.ts";
import type { WebhookStores } from "./memory-stores.ts";
import type { Life, Mortality, Turns } from "./mortality.ts";
import type { SimulatedProvider, WireEvent } from "./simulated-provider.ts";

export const ORGANIZATION = "acme";
const SECRET = "whsec_simulated";
const CONNECTION = { connectionId: "c1", accountId: "acct_1", connectedAt: 0 };

/** Messages are received five times, then moved to the dead-letter queue. */
const MAX_RECEIVES = 5;

export type Records = Pick<RecordStore, "get" | "getMany" | "put">;

/** Faulty replacements of product code, which the histories must detect. */
export type Sabotage = {
  receive?: (parts: ReceiveDependencies) => ReceiveDependencies;
  process?: (parts: ProcessDependencies) => ProcessDependencies;
  delivered?: (stores: WebhookStores) => WebhookStores["delivered"];
};

export type World = ReturnType<typeof createWorld>;

type Parts = {
  provider: SimulatedProvider;
  stores: WebhookStores;
  records: Records;
  turns: Turns;
  mortality: Mortality;
  random: () => number;
  sabotage: Sabotage;
};

export const createWorld = ({ provider, stores, records, turns, mortality, random, sabotage }: Parts) => {
  const { call, mortal, rates } = mortality;
  const queue: { received: WebhookReceived; receives: number }[] = [];
  const deadLetters: typeof queue = [];
  /** Our clock differs from the provider's. */
  const skewSeconds = Math.floor(random() * 20) - 10;
  const now = () => (provider.clock.seconds + skewSeconds) * 1_000;
  let tokens = 0;
  /** Stored records by type and id. Other tests cover the lists. */
  const storedIds = new Map<string, ListedId & { type: RecordType }>();
  const listed: Records = {
    ...records,
    async put(organizationId, record, previousVersion) {
      const isWritten = await records.put(organizationId, record, previousVersion);
      const { type, id, createdAt, fields } = record;
      if (isWritten) storedIds.set(`${type} ${id}`, { type, id, createdAt, deleted: fields === undefined });
      return isWritten;
    },
  };

  const bus: { publish: EventBus["publish"] } = {
    async publish(events) {
      const isRefused = random() < rates.fail;
      // A refused event may still be delivered, and an accepted one may be delivered twice.
      const copies = isRefused ? Number(random() < 0.3) : 1 + Number(random() < rates.fail);
      for (let i = 0; i < copies; i++) {
        for (const { detail } of events) queue.push({ received: WebhookReceived.parse(detail), receives: 0 });
      }
      return isRefused ? events.map((event) => ({ event, reason: "Throttled" })) : [];
    },
  };
  const busOf = (life: Life) => ({
    publish: <Event extends BusEvent>(events: readonly Event[]) => call(life, () => bus.publish(events)),
  });

  /** The provider as an invocation sees it: request, answer and date at three different times. */
  const providerOf = (life: Life): Provider => {
    const ask = async <Result>(read: (at: Omit<Provider, "readAccount">) => Promise<Result>): Promise<Result> => {
      const sent = provider.clock.seconds;
      const observedAt: ObservedAt = { from: sent - 1, to: sent };
      return call(life, async () => {
        if (random() < rates.fail) throw new CircuitOpenError(now() + 1_000, now());
        const answer = await read(provider.at(observedAt));
        if (random() < 0.3) await turns.pause();
        observedAt.to = provider.clock.seconds;
        return answer;
      });
    };
    return {
      readAccount: async () => ({ accountId: CONNECTION.accountId }),
      listObjects: (type, page) => ask((at) => at.listObjects(type, page)),
      readObject: (type, id) => ask((at) => at.readObject(type, id)),
      listPaymentLinks: (page) => ask((at) => at.listPaymentLinks(page)),
      listEvents: (page) => ask((at) => at.listEvents(page)),
    };
  };

  const applyOf = (life: Life) =>
    createApply({
      store: mortal(life, listed),
      now,
      newToken: () => `v${tokens++}`,
      pause: () => turns.pause().then(() => undefined),
    });

  /** One delivery attempt of the provider. @returns whether it is acknowledged */
  const deliver = async ({ created, ...event }: WireEvent): Promise<boolean> => {
    const body = Buffer.from(JSON.stringify({ ...event, created, object: "event" }));
    const time = provider.clock.seconds;
    const hmac = createHmac("sha256", SECRET).update(`${time}.`).update(body).digest("hex");
    const origin = { requestId: "r", ipAddress: "192.0.2.1" };
    const delivery = { organizationId: ORGANIZATION, signature: `t=${time},v1=${hmac}`, body, origin };
    const answer = await mortality.live(async (life) => {
      const parts: ReceiveDependencies = {
        readConnection: () => call(life, async () => ({ ...CONNECTION, webhookSecrets: new Uint8Array() })),
        secrets: { open: () => call(life, async () => [SECRET]) },
        hasValidSignature,
        parseEvent: parseDeliveredEvent,
        events: mortal(life, { add: stores.add, markPublished: stores.markPublished }),
        bus: busOf(life),
        recorder: {
          genuine: () => turns.pause().then(() => undefined),
          forged: () => Promise.reject(new Error("forged")),
        },
        now,
      };
      await createReceive(sabotage.receive?.(parts) ?? parts)(delivery);
      return "acknowledged";
    });
    return answer === "acknowledged";
  };

  /** Processes a message. A failed message is received again and finally moved to the dead-letter queue. */
  const consume = async (message: (typeof queue)[number]): Promise<void> => {
    const end = await mortality.live(async (life) => {
      const parts: ProcessDependencies = {
        events: mortal(life, {
          ...{ read: stores.read, markProcessed: stores.markProcessed, noteFailure: stores.noteFailure },
        }),
        readConnection: () => call(life, async () => CONNECTION),
        claimRecords: () => call(life, async () => true),
        apply: applyOf(life),
        readRecords: (organizationId, keys) =>
          call(life, () => records.getMany(organizationId, keys, { strongly: true })),
        reread: () => providerOf(life).readObject,
        disconnect: () => Promise.reject(new Error("nothing disconnects")),
        gaps: { mayStartRun: async () => false },
        startGapRun: async () => undefined,
        recordFailure: () => turns.pause().then(() => undefined),
        now,
      };
      await createProcess(sabotage.process?.(parts) ?? parts)(message.received, message.receives + 1);
      return "processed";
    });
    if (end === "processed") return;
    const again = { ...message, receives: message.receives + 1 };
    (again.receives < MAX_RECEIVES ? queue : deadLetters).push(again);
  };

  /** Runs the hourly schedule for events that were never published. */
  const handOver = () =>
    mortality.live((life) => {
      const events = mortal(life, { listPending: stores.listPending, markPublished: stores.markPublished });
      const pause = () => turns.pause();
      return publishPending({ events, bus: busOf(life), now: () => now() + 120_000, pause }, () => 300_000);
    });

  const delivered = sabotage.delivered?.(stores) ?? stores.delivered;

  return { queue, deadLetters, storedIds, now, deliver, consume, handOver, providerOf, applyOf, delivered };
};
