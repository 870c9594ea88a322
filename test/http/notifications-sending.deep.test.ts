/** Notifications from the alert to a receiver of one's own, as an administrator would try it. */
import { describe, expect, it } from "@jest/globals";
import { Webhook } from "standardwebhooks";
import { eventually, organizationOf } from "../support/integration.ts";
import { useReceivers, useSharedService } from "../support/use-service.ts";

const service = await useSharedService();

const startReceiver = useReceivers();

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
  const receiver = await startReceiver();
  const { call } = organizationOf(service, `notified-${++organizations}`);
  const ask = async <Body>(method: "GET" | "POST" | "PUT", path: string, body?: object) =>
    (await call(method, path, body)).body as Body;
  const request = { type: "webhook", name: "SOC", url: receiver.url };
  const destination = await ask<Destination>("POST", "notifications", request);
  return {
    ask,
    receiver,
    destination,
    raise: (title: string) => ask("POST", "security/alert", { action: "generate_alert", title, riskLevel: "HIGH" }),
    /** The newest delivery, once it has the status. */
    delivery: (status: string): Promise<Delivery> =>
      eventually(`the delivery is ${status}`, async () => {
        const [newest] = await ask<Delivery[]>("GET", `notifications/${destination.id}/deliveries`);
        return newest?.status === status && newest.attempts.length > 0 && newest;
      }),
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
    const path = `notifications/${destination.id}`;
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
    const [shown] = await ask<Destination[]>("GET", "notifications");
    expect(shown).toMatchObject({ id: destination.id, status: "paused", pausedBecause: "gone" });
    const paused = await eventually("the alert is raised", async () =>
      (await ask<{ rule: string }[]>("GET", "security/alert")).find(({ rule }) => rule === "notifications_paused"),
    );
    expect(paused).toMatchObject({
      subject: destination.id,
      level: "HIGH",
      title: 'Notifications to "SOC" are paused: its address is gone',
    });
  });
});
