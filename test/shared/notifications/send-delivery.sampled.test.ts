/**
 * One delivery from its message to its end: a queue, workers that crash between any two steps, answers of the store that
 * are lost, two workers at once, late workers. The store is the real engine, the receiver is scripted.
 */

import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it, jest } from "@jest/globals";
import type { StoredDelivery } from "../../../shared/notifications/delivery.ts";
import type { PausedDestination } from "../../../shared/notifications/destination-paused.ts";
import type { DestinationSecrets } from "../../../shared/notifications/destination-secrets.ts";
import type { Notification } from "../../../shared/notifications/messages/notification.ts";
import {
  type DestinationItem,
  deliveryKey,
  destinationKey,
  parseDeliveryItem,
  parseDestinationItem,
} from "../../../shared/notifications/notification-items.ts";
import { createSendDelivery, type SendDependencies } from "../../../shared/notifications/send-delivery.ts";
import type { GuardedAnswer } from "../../../shared/notifications/sending/pinned-post.ts";
import { GuardedRequestError, type RequestFailure } from "../../../shared/notifications/sending/request-failure.ts";
import {
  createSendingSlots,
  SLOT_LEASE_MS,
  SLOTS_OF_DESTINATION,
  SLOTS_OF_SLOW,
} from "../../../shared/notifications/sending-slots.ts";
import { createSendingStore } from "../../../shared/notifications/sending-store.ts";
import { MailError, type MailFault } from "../../../shared/runtime/mail.ts";
import { createTable, getItem } from "../../../shared/runtime/table.ts";
import { sampleOf } from "../../support/depth.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { useDatabase } from "../../support/use-table.ts";

const TABLE = "notifications";
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.UTC(2026, 10, 22, 21, 0);
const VISIBILITY_MS = 360_000;

quietLog();
const database = useDatabase(TABLE);

/** An answer's status with its Retry-After, a request without an answer, or the death of the worker after sending. */
type Step = number | [number, string] | RequestFailure | "dies";
/** The call of the store, from 0 on, that fails: before it reached the store, or after, so that its answer is lost. */
type Fault = { call: number; when: "before" | "after" };

let organizations = 0;

type Options = {
  steps: readonly Step[];
  fault?: Fault | undefined;
  messages?: number;
  destination?: Partial<DestinationItem>;
  delivery?: Partial<StoredDelivery>;
  change?: Partial<SendDependencies>;
  /** Called while a request is under way. */
  during?: (world: World) => Promise<void>;
};
type World = Awaited<ReturnType<typeof createWorld>>;

const notification: Notification = {
  type: "notification.test",
  timestamp: START,
  organizationId: "acme",
  data: { destination: { id: "01D", name: "Ops" } },
};

const createWorld = async ({ steps, fault, destination = {}, delivery = {}, change = {}, during }: Options) => {
  const client = database.newClient();
  const reader = database.client;
  const message = { organizationId: `acme-${++organizations}`, destinationId: "01D", deliveryId: "01E" };
  const own = { ...message, destination: destinationKey(message.organizationId, "01D") };
  const put = (Item: object) => client.send(new PutCommand({ TableName: TABLE, Item: { ...Item } }));
  await put({
    ...destinationKey(message.organizationId, "01D"),
    id: "01D",
    type: "webhook",
    name: "Ops",
    target: "https://example.com/hook",
    status: "active",
    filter: {},
    createdAt: START,
    createdBy: "u",
    changedAt: START,
    changedBy: "u",
    version: "v",
    sealed: new Uint8Array([1]),
    ...destination,
  });
  await put({
    ...deliveryKey(message.organizationId, message),
    destinationId: "01D",
    deliveryId: "01E",
    type: "notification.test",
    status: "pending",
    createdAt: START,
    notification: JSON.stringify(notification),
    attempts: [],
    tries: 0,
    ttl: START / 1_000 + 30 * 86_400,
    ...delivery,
  });

  let calls = 0;
  client.middlewareStack.add(
    (next) => async (args) => {
      const call = calls++;
      if (fault?.call === call && fault.when === "before") throw new Error("The call never left.");
      const output = await next(args);
      if (fault?.call === call && fault.when === "after") throw new Error("The answer was lost.");
      return output;
    },
    { step: "initialize", name: "faults" },
  );

  const left = [...steps];
  const sent: { id: string; at: number }[] = [];
  const paused: PausedDestination[] = [];
  const secrets: DestinationSecrets = {
    type: "webhook",
    url: "https://example.com/hook",
    secrets: [{ secret: "whsec_AAAA" }],
  };
  const world = {
    now: START,
    message,
    sent,
    paused,
    watched: [] as object[],
    escalations: [] as object[],
    left,
    calls: () => calls,
    delivery: async () =>
      parseDeliveryItem(
        await getItem(createTable<"notifications">(reader, TABLE), deliveryKey(message.organizationId, message)),
      ),
    destination: async () =>
      parseDestinationItem(await getItem(createTable<"notifications">(reader, TABLE), own.destination)),
    tokens: 0,
    queued: [] as object[],
    /** Works on the message once, as the queue's function does. "died": the worker is gone. */
    work: async (): Promise<number | undefined | "died"> => {
      const { promise: death, resolve: die } = Promise.withResolvers<"died">();
      const send = createSendDelivery({
        store: createSendingStore(database.table(TABLE, client)),
        slots: createSendingSlots(database.table(TABLE, client)),
        queue: {
          send: async (messages) => {
            world.queued.push(...messages);
            return [];
          },
        },
        secrets: { open: async () => secrets },
        request: async ({ headers }): Promise<GuardedAnswer> => {
          sent.push({ id: headers["webhook-id"] ?? "", at: world.now });
          const step = left.shift() ?? 200;
          await during?.(world);
          if (step === "dies") {
            die("died");
            return new Promise(() => undefined);
          }
          if (typeof step === "string") throw new GuardedRequestError(step);
          const [status, retryAfter] = typeof step === "number" ? [step] : step;
          return { status, body: "text", ...(retryAfter !== undefined && { retryAfter }) };
        },
        mailer: { send: async () => undefined },
        mailsPerDay: 1_000,
        summarize: async () => undefined,
        recordWatched: async (watched) => void world.watched.push(watched),
        publishPaused: async (event) => void paused.push(event),
        publishEscalation: async (due) => void world.escalations.push(due),
        apiOrigin: "https://api.example.com",
        newToken: () => `token ${world.tokens++}`,
        now: () => world.now,
        ...change,
      });
      return Promise.race([send(message), death]);
    },
  };
  return world;
};

/** Runs the queue until it is empty. */
const run = async (options: Options) => {
  const world = await createWorld(options);
  const queue = Array.from({ length: options.messages ?? 1 }, () => ({ visibleAt: START }));
  for (let receives = 0; queue.length > 0; receives++) {
    if (receives > 60) throw new Error("The message never ends.");
    queue.sort((one, other) => one.visibleAt - other.visibleAt);
    const [one] = queue;
    if (one === undefined) break;
    world.now = Math.max(world.now, one.visibleAt);
    const seconds = await world.work().catch(() => "died" as const);
    if (seconds === undefined) queue.shift();
    else one.visibleAt = world.now + (seconds === "died" ? VISIBILITY_MS : seconds * 1_000);
  }
  return { world, delivery: await world.delivery(), destination: await world.destination() };
};

describe("a delivery", () => {
  it("is sent once and recorded", async () => {
    const { world, delivery, destination } = await run({ steps: [204] });
    expect(world.sent).toEqual([{ id: "01D_01E", at: START }]);
    expect(delivery).toMatchObject({
      status: "delivered",
      endedAt: START,
      attempts: [{ status: 204, answer: "text" }],
    });
    expect([delivery.leaseToken, destination.lastDeliveredAt, destination.failingSince]).toEqual([
      undefined,
      START,
      undefined,
    ]);
  });

  it("is tried again after growing pauses until it is accepted", async () => {
    const { world, delivery, destination } = await run({ steps: [500, 302, "timed_out", 404, 200] });
    const pauses = world.sent.slice(1).map(({ at }, index) => (at - (world.sent[index]?.at ?? 0)) / 1_000);
    for (const [index, seconds] of [5, 60, 300, 1_800].entries())
      expect(Math.abs((pauses[index] ?? 0) / seconds - 1)).toBeLessThan(0.3);
    expect(delivery.attempts.map(({ status, error }) => [status, error])).toEqual([
      [500, "refused"],
      [302, "refused"],
      [undefined, "timed_out"],
      [404, "refused"],
      [200, undefined],
    ]);
    expect(destination.failingSince).toBeUndefined();
  });

  it("is given up after nine tries in about 24 hours", async () => {
    const { world, delivery, destination } = await run({ steps: Array.from({ length: 20 }, () => 500) });
    expect(world.sent).toHaveLength(9);
    expect((world.now - START) / HOUR_MS).toBeGreaterThan(20);
    expect((world.now - START) / HOUR_MS).toBeLessThan(27);
    expect(delivery).toMatchObject({ status: "failed", error: "no_tries_left", tries: 9 });
    expect([destination.failingSince, destination.status]).toEqual([START, "active"]);
  });

  it("waits as long as Retry-After asks for", async () => {
    const { world } = await run({ steps: [[429, "1000"], [503, "Sun, 22 Nov 2026 23:00:00 GMT"], 200] });
    expect(world.sent.map(({ at }) => at - START)).toEqual([0, 1_000_000, 2 * HOUR_MS]);
  });

  it("pauses a destination that is gone", async () => {
    const { world, delivery, destination } = await run({ steps: [410] });
    expect(delivery).toMatchObject({ status: "failed", error: "gone", attempts: [{ status: 410 }] });
    expect(destination).toMatchObject({ status: "paused", pausedBecause: "gone", pausedAt: START });
    expect(world.paused).toMatchObject([{ reason: "gone", destination: { id: "01D", name: "Ops" } }]);
  });

  it("pauses a destination that has failed for five days, not one that failed for less", async () => {
    const failing = (ms: number) => run({ steps: [500, 200], destination: { failingSince: START - ms } });
    const { world, delivery, destination } = await failing(5 * DAY_MS);
    expect([delivery.error, destination.pausedBecause]).toEqual(["failing", "failing"]);
    expect(world.paused).toMatchObject([{ reason: "failing", failingSince: START - 5 * DAY_MS }]);
    const shorter = await failing(5 * DAY_MS - 1);
    expect([shorter.delivery.status, shorter.destination.status, shorter.world.paused]).toEqual([
      "delivered",
      "active",
      [],
    ]);
  });

  it("leaves a destination active if the bus does not take the event, and pauses it later", async () => {
    let refusals = 1;
    const events: PausedDestination[] = [];
    const publishPaused = async (event: PausedDestination) => {
      if (refusals-- > 0) throw new Error("The bus did not take it.");
      events.push(event);
    };
    const { delivery, destination } = await run({ steps: [410, 410], change: { publishPaused } });
    expect([events.length, delivery.error, destination.status]).toEqual([1, "gone", "paused"]);
  });

  it.each([
    ["paused", { status: "paused" }, {}],
    ["unconfirmed", { status: "unconfirmed" }, {}],
    ["already_confirmed", {}, { type: "destination.confirmation" }],
    ["empty", {}, { notification: undefined, bundle: { reason: "storm", from: START } }],
  ] as const)("fails without a request: %s", async (error, destination, delivery) => {
    const { world, delivery: ended } = await run({ steps: [], destination, delivery });
    expect([world.sent, ended.status, ended.error]).toEqual([[], "failed", error]);
  });

  it("keeps the text of a summary for later tries", async () => {
    let composed = 0;
    const summarize = async (): Promise<Notification> => ({ ...notification, timestamp: ++composed });
    const bundle = { reason: "digest", from: START } as const;
    const { delivery } = await run({
      steps: [500, 200],
      delivery: { notification: undefined, bundle },
      change: { summarize },
    });
    expect([composed, delivery.status, JSON.parse(delivery.notification ?? "").timestamp]).toEqual([1, "delivered", 1]);
  });

  it("waits until it is due", async () => {
    const { world } = await run({ steps: [200], delivery: { notBefore: START + HOUR_MS } });
    expect(world.sent).toEqual([{ id: "01D_01E", at: START + HOUR_MS }]);
  });

  it("drops a message whose delivery has ended or does not exist", async () => {
    const world = await createWorld({ steps: [], delivery: { status: "delivered" } });
    expect([await world.work(), world.sent]).toEqual([undefined, []]);
    world.message.deliveryId = "01F";
    expect([await world.work(), world.sent]).toEqual([undefined, []]);
  });
});

describe("a mail that SES does not take", () => {
  /** One try of a destination that has failed for five days, with the log's lines. */
  const tryMail = async (mailer: SendDependencies["mailer"]) => {
    const write = jest.spyOn(process.stdout, "write").mockReturnValue(true);
    const world = await createWorld({
      steps: [],
      destination: { type: "email", failingSince: START - 5 * DAY_MS },
      change: { secrets: { open: async () => ({ type: "email", confirmKey: "c", unsubscribeKey: "u" }) }, mailer },
    });
    await world.work();
    const alarms = write.mock.calls.flatMap(([line]) => JSON.parse(String(line)).alarm ?? []);
    return { world, alarms, delivery: await world.delivery(), destination: await world.destination() };
  };
  const refusing = (name: string, fault: MailFault) => ({ send: () => Promise.reject(new MailError(name, fault)) });

  it("pauses the destination whose address is bad, without an alarm", async () => {
    const { world, alarms, delivery, destination } = await tryMail(refusing("BadRequestException", "mail"));
    expect(destination).toMatchObject({ status: "paused", pausedBecause: "failing" });
    expect([world.paused.length, delivery.error, alarms]).toEqual([1, "failing", []]);
  });

  it.each<[string, MailFault, string[]]>([
    ["AccountSuspendedException", "sender", ["mail_sender"]],
    ["TooManyRequestsException", "service", []],
  ])("pauses no destination for %s, and alarms the operators of a broken sender", async (name, fault, expected) => {
    const { world, alarms, delivery, destination } = await tryMail(refusing(name, fault));
    expect(destination).toMatchObject({ status: "active", failingSince: START - 5 * DAY_MS });
    expect([world.paused, alarms]).toEqual([[], expected]);
    expect(delivery).toMatchObject({ status: "pending", tries: 1, attempts: [{ error: name }] });
  });

  it("pauses no destination if the deployment sends no mails any more", async () => {
    const { alarms, delivery, destination } = await tryMail(undefined);
    expect(delivery).toMatchObject({ status: "pending", attempts: [{ error: "no_sender" }] });
    expect([destination.status, alarms]).toEqual(["active", []]);
  });
});

describe("mails of an organization beyond the day's number", () => {
  it("wait for the next day, without a failure of the destination", async () => {
    const mails: number[] = [];
    const change: Partial<SendDependencies> = {
      secrets: { open: async () => ({ type: "email", confirmKey: "c", unsubscribeKey: "u" }) },
      mailer: {
        send: async () => {
          mails.push(world.now);
          return undefined;
        },
      },
      mailsPerDay: 2,
    };
    const world: World = await createWorld({ steps: [], destination: { type: "email" }, change });
    const store = createSendingStore(database.table(TABLE));
    for (let i = 0; i < 2; i++) {
      expect(await store.countMail(world.message.organizationId, { at: START, most: 2 })).toBe(true);
    }
    // Three hours are left of the day.
    expect(await world.work()).toBe(3 * 3_600);
    expect(mails).toEqual([]);
    expect(await world.delivery()).toMatchObject({ status: "pending", attempts: [{ error: "too_many_mails" }] });
    expect((await world.destination()).failingSince).toBeUndefined();
    world.now = START + 3 * HOUR_MS;
    expect(await world.work()).toBeUndefined();
    expect(mails).toEqual([world.now]);
    expect(await world.delivery()).toMatchObject({ status: "delivered" });
  });

  it("are of one organization", async () => {
    const store = createSendingStore(database.table(TABLE));
    const [one, other] = [`acme-${++organizations}`, `acme-${++organizations}`];
    expect(await store.countMail(one, { at: START, most: 1 })).toBe(true);
    expect(await store.countMail(one, { at: START, most: 1 })).toBe(false);
    expect(await store.countMail(other, { at: START, most: 1 })).toBe(true);
    expect(await store.countMail(one, { at: START + 3 * HOUR_MS, most: 1 })).toBe(true);
  });
});

describe("a delivery without a free slot", () => {
  /** Other tries take all slots that are free. */
  const fill = async ({ message: { organizationId, destinationId }, now }: World, isSlow = false) => {
    const slots = createSendingSlots(database.table(TABLE));
    for (let i = 0; i < (isSlow ? SLOTS_OF_SLOW : SLOTS_OF_DESTINATION); i++) {
      await slots.take(organizationId, { id: destinationId, isSlow }, { token: `other ${i}`, now });
    }
  };

  it("waits as a new message of its organization, ever longer, without a try", async () => {
    const world = await createWorld({ steps: [500, 200] });
    await world.work();
    world.now = START + HOUR_MS;
    for (let waits = 1; waits <= 11; waits++) {
      await fill(world);
      expect(await world.work()).toBeUndefined();
      const stored = await world.delivery();
      const { notBefore = 0 } = stored;
      expect(stored).toMatchObject({ status: "pending", tries: 1, waits, attempts: [{ status: 500 }] });
      expect(stored).not.toHaveProperty("leaseToken");
      const { organizationId } = world.message;
      const delaySeconds = (notBefore - world.now) / 1_000;
      expect(world.queued.pop()).toEqual({ body: world.message, group: organizationId, delaySeconds });
      const middle = Math.min(3 ** waits, 300);
      expect(delaySeconds).toBeGreaterThanOrEqual(0.5 * middle);
      expect(delaySeconds).toBeLessThanOrEqual(Math.ceil(1.5 * middle));
      world.now = notBefore;
    }
    expect(world.sent).toHaveLength(1);
    world.now += SLOT_LEASE_MS;
    expect(await world.work()).toBeUndefined();
    expect(await world.delivery()).toMatchObject({ status: "delivered", attempts: [{ status: 500 }, { status: 200 }] });
    expect(await world.delivery()).not.toHaveProperty("waits");
    expect(world.queued).toEqual([]);
  });

  it("keeps its message if the queue does not take the new one", async () => {
    const queue = { send: async (messages: readonly object[]) => messages };
    const world = await createWorld({ steps: [200], change: { queue } });
    await fill(world);
    const seconds = await world.work();
    expect(seconds).toBe((((await world.delivery()).notBefore ?? 0) - START) / 1_000);
  });

  it("is sent nevertheless if it is a mail", async () => {
    const secrets = { open: async () => ({ type: "email", confirmKey: "c", unsubscribeKey: "u" }) as const };
    const world = await createWorld({ steps: [], destination: { type: "email" }, change: { secrets } });
    await fill(world);
    await world.work();
    expect(await world.delivery()).toMatchObject({ status: "delivered" });
  });

  it("is sent nevertheless if it is a mail to the address that a destination had", async () => {
    const secrets = { open: async () => ({ type: "email", confirmKey: "c", unsubscribeKey: "u" }) as const };
    const former = { target: "soc@example.com", sealed: new Uint8Array([1]) };
    const world = await createWorld({ steps: [], delivery: { former }, change: { secrets } });
    await fill(world);
    await world.work();
    expect(await world.delivery()).toMatchObject({ status: "delivered" });
  });

  it("is given up without a slot if its destination was paused", async () => {
    const world = await createWorld({ steps: [], destination: { status: "paused" } });
    await fill(world);
    await world.work();
    expect(await world.delivery()).toMatchObject({ status: "failed", error: "paused" });
  });

  it("waits for the slots of slow destinations, and only for these, if its destination is slow", async () => {
    const world = await createWorld({ steps: [200], destination: { isSlow: true } });
    await fill(world);
    await fill(world, true);
    await world.work();
    expect([world.queued.length, world.sent]).toEqual([1, []]);
    world.now += SLOT_LEASE_MS;
    await fill(world);
    await world.work();
    expect(await world.delivery()).toMatchObject({ status: "delivered" });
  });

  it.each([
    [200, 5_000, true],
    [200, 4_999, undefined],
    ["timed_out", 5_000, true],
    [500, 4_999, undefined],
  ] as const)("finds its destination slow by the last try: %s after %i ms", async (step, tookMs, isSlow) => {
    const during = async (slow: World) => {
      slow.now += tookMs;
    };
    const world = await createWorld({ steps: [step], destination: { isSlow: isSlow === undefined }, during });
    await world.work();
    expect((await world.destination()).isSlow).toBe(isSlow);
  });
});

describe("a delivery to a destination as it was before a change", () => {
  const former = { target: "https://old.example.com", sealed: new Uint8Array([2]) };

  it("is sent whatever the destination is now, and forgets the address at its end", async () => {
    const opened: number[] = [];
    const secrets = {
      open: async (_: string, sealed: Uint8Array) => {
        opened.push(...sealed);
        return { type: "webhook" as const, url: "https://old.example.com/hook", secrets: [{ secret: "whsec_AAAA" }] };
      },
    };
    const world = await createWorld({
      steps: [500, 204],
      delivery: { former },
      destination: { status: "paused" },
      change: { secrets },
    });
    expect(await world.work()).toBeGreaterThan(0);
    expect((await world.delivery()).former).toEqual(former);
    world.now += HOUR_MS;
    expect(await world.work()).toBeUndefined();
    expect(await world.delivery()).toMatchObject({ status: "delivered" });
    expect(await world.delivery()).not.toHaveProperty("former");
    expect(opened).toEqual([2, 2]);
    // How the destination fares now is another matter.
    expect(await world.destination()).not.toHaveProperty("failingSince");
    expect(await world.destination()).not.toHaveProperty("lastDeliveredAt");
  });

  it("is given up without a pause and without the address", async () => {
    const { delivery, destination, world } = await run({
      steps: [410].concat(Array(9).fill(500)),
      delivery: { former },
    });
    expect(delivery).toMatchObject({ status: "failed", error: "no_tries_left" });
    expect(delivery).not.toHaveProperty("former");
    expect([destination.status, world.paused]).toEqual(["active", []]);
  });
});

it("a message that watches a change has it recorded, and sends nothing", async () => {
  const world = await createWorld({ steps: [] });
  Object.assign(world.message, { isWatch: true });
  expect(await world.work()).toBeUndefined();
  expect([world.watched, world.sent]).toEqual([[world.message], []]);
});

it("a message about an escalation waits until it is due, and then has it dispatched", async () => {
  const world = await createWorld({ steps: [] });
  Object.assign(world.message, { escalates: { alertId: "a", to: "manager", dueAt: START + 60_000 } });
  expect(await world.work()).toBe(60);
  expect(world.escalations).toEqual([]);
  world.now += 60_000;
  expect(await world.work()).toBeUndefined();
  const { organizationId, destinationId: from } = world.message;
  expect(world.escalations).toEqual([{ version: 1, organizationId, alertId: "a", from, to: "manager" }]);
  expect(world.sent).toEqual([]);
});

describe("at least once, and no more than the faults explain", () => {
  const scenarios: Step[][] = [[200], [500, 200], [410], ["dies", 200], ["timed_out", 200]];

  it.each(sampleOf(scenarios, 2).map((steps) => [steps]))(
    "after %j, whichever call of the store fails",
    async (steps) => {
      const clean = await run({ steps });
      const calls = clean.world.calls();
      expect(calls).toBeGreaterThan(3);
      for (let call = 0; call < calls; call++) {
        for (const when of ["before", "after"] as const) {
          // A repeated request gets the answer of the last step again.
          const { world, delivery, destination } = await run({
            steps: [...steps, steps.at(-1) ?? 200],
            fault: { call, when },
          });
          const context = { call, when };
          expect({ ...context, status: delivery.status, lease: delivery.leaseToken }).toEqual({
            ...context,
            status: clean.delivery.status,
            lease: undefined,
          });
          expect(world.sent.length).toBeGreaterThanOrEqual(clean.world.sent.length);
          expect(world.sent.length).toBeLessThanOrEqual(clean.world.sent.length + 1);
          const stateOf = ({ status, failingSince, lastDeliveredAt }: DestinationItem) => ({
            status,
            isFailing: failingSince !== undefined,
            wasReached: lastDeliveredAt !== undefined,
          });
          expect({ ...context, ...stateOf(destination) }).toEqual({ ...context, ...stateOf(clean.destination) });
          expect(world.paused.length >= clean.world.paused.length).toBe(true);
        }
      }
    },
  );

  it("is sent by one of two workers with the same message", async () => {
    const world = await createWorld({ steps: [200] });
    const results = await Promise.all([world.work(), world.work()]);
    expect(world.sent).toHaveLength(1);
    expect(results).toContain(undefined);
    expect((await world.delivery()).attempts).toHaveLength(1);
  });

  it("keeps the message of the worker that was second until the delivery has ended", async () => {
    const { world, delivery } = await run({ steps: ["dies", 200], messages: 2 });
    expect([world.sent.length, delivery.status]).toEqual([2, "delivered"]);
  });

  it("does not let a late worker overwrite the work of another one", async () => {
    let isSecond = false;
    const world = await createWorld({
      steps: [500, 200],
      during: async (current) => {
        if (isSecond) return;
        isSecond = true;
        // The first worker hangs beyond its lease, and the second one delivers concurrently.
        current.now += 80_000;
        expect(await current.work()).toBeUndefined();
      },
    });
    await expect(world.work()).rejects.toThrow("The lease of the delivery was lost.");
    expect(await world.delivery()).toMatchObject({ status: "delivered", attempts: [{ status: 200 }] });
  });

  it("does not mark a destination as failing because of a try before its last success", async () => {
    const { destination } = await run({ steps: [500, 200], destination: { lastDeliveredAt: START + 1 } });
    expect(destination.failingSince).toBeUndefined();
  });
});
