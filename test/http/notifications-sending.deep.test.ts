/** Notifications from the alert to a receiver of one's own, as an administrator would try it. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { Webhook } from "standardwebhooks";
import { shareService } from "../support/service.ts";
import { startWebhookReceiver } from "../support/webhook-receiver.ts";

const NOTIFICATIONS = "/api/integrations/provider/notifications";
const ALERT = "/api/integrations/provider/security/alert";

let service: Awaited<ReturnType<typeof shareService>>;
beforeAll(async () => {
  service = await shareService();
});

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

let organizations = 0;

type Destination = { id: string; status: string; pausedBecause?: string; secret: string };
type Delivery = {
  status: string;
  error?: string;
  type: string;
  attempts: { status?: number; answer?: string; error?: string; latencyMs: number }[];
};

/** An organization with a webhook destination at a receiver. */
const freshDestination = async () => {
  const receiver = await startWebhookReceiver();
  stops.push(receiver.stop);
  const token = await service.mint({ organizationId: `notified-${++organizations}`, userId: "admin" });
  const ask = async <Body>(method: "GET" | "POST" | "PUT", path: string, body?: object) =>
    (await service.request(method, path, { token, ...(body && { body: JSON.stringify(body) }) })).body as Body;
  const destination = await ask<Destination>("POST", NOTIFICATIONS, {
    type: "webhook",
    name: "SOC",
    url: receiver.url,
  });
  return {
    ...{ ask, receiver, destination },
    raise: (title: string) => ask("POST", ALERT, { action: "generate_alert", title, riskLevel: "HIGH" }),
    /** The newest delivery, once it has the status. */
    delivery: async (status: string): Promise<Delivery> => {
      for (let i = 0; i < 200; i++) {
        const [newest] = await ask<Delivery[]>("GET", `${NOTIFICATIONS}/${destination.id}/deliveries`);
        if (newest?.status === status && newest.attempts.length > 0) return newest;
        await sleep(50);
      }
      throw new Error(`No delivery became ${status}.`);
    },
  };
};

describe("an alert", () => {
  it("arrives signed, and the log shows the answer without secrets", async () => {
    const { receiver, destination, raise, delivery } = await freshDestination();
    receiver.answer = (response) => response.end("POST /hook?token=secret-token, card 4111 1111 1111 1111");
    await raise("A break-in");
    const [one] = await receiver.until(1);
    const notification = new Webhook(destination.secret).verify(
      one?.body ?? "",
      (one?.headers ?? {}) as Record<string, string>,
    );
    expect(notification).toMatchObject({
      type: "security.alert.raised",
      data: { alert: { title: "A break-in", level: "HIGH" } },
    });
    const { type, attempts } = await delivery("delivered");
    expect([type, attempts]).toMatchObject(["security.alert.raised", [{ status: 200, latencyMs: expect.any(Number) }]]);
    expect(attempts[0]?.answer).toBe("POST /hook[redacted:url], card [redacted:card]");
    expect(await service.logged()).not.toContain("secret-token");
  });

  it("is verified with both secrets while the secret is rolled", async () => {
    const { ask, receiver, destination, raise } = await freshDestination();
    const path = `${NOTIFICATIONS}/${destination.id}`;
    const rolled = await ask<Destination>("PUT", path, { name: "SOC", rollSecret: true });
    await raise("A break-in");
    const [one] = await receiver.until(1);
    for (const { secret } of [destination, rolled])
      expect(new Webhook(secret).verify(one?.body ?? "", (one?.headers ?? {}) as Record<string, string>)).toBeTruthy();
  });

  it("pauses a destination that answers 410, with an alert", async () => {
    const { ask, receiver, destination, raise, delivery } = await freshDestination();
    receiver.answer = (response) => response.writeHead(410).end();
    await raise("A break-in");
    expect(await delivery("failed")).toMatchObject({ error: "gone", attempts: [{ status: 410 }] });
    const [shown] = await ask<Destination[]>("GET", NOTIFICATIONS);
    expect(shown).toMatchObject({ id: destination.id, status: "paused", pausedBecause: "gone" });
    const paused = async () =>
      (await ask<{ rule: string; subject: string }[]>("GET", ALERT)).find(
        ({ rule }) => rule === "notifications_paused",
      );
    for (let i = 0; i < 200 && (await paused()) === undefined; i++) await sleep(50);
    expect(await paused()).toMatchObject({
      subject: destination.id,
      level: "HIGH",
      title: 'Notifications to "SOC" are paused: its address is gone',
    });
  });
});
