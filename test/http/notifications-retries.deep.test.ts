/** Tries of a delivery over hours and days of the local cloud's clock. */
import { describe, expect, it } from "@jest/globals";
import { eventually, organizationOf } from "../support/integration.ts";
import { useReceivers, useService } from "../support/use-service.ts";

const MINUTE_MS = 60_000;
/** Longer than a message of the queue is invisible. */
const VISIBILITY_MS = 10 * MINUTE_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

const service = await useService();
const startReceiver = useReceivers();

type Delivery = { id: string; status: string; error?: string; attempts: { status?: number; error?: string }[] };

const ask = async <Body>(organizationId: string, method: "GET" | "POST", path: string, body?: object) =>
  (await organizationOf(service, organizationId).call(method, path, body)).body as Body;

const addDestination = async (organizationId: string, name: string) => {
  const receiver = await startReceiver();
  const request = { type: "webhook", name, url: receiver.url };
  const { id } = await ask<{ id: string }>(organizationId, "POST", "notifications", request);
  const deliveries = () => ask<Delivery[]>(organizationId, "GET", `notifications/${id}/deliveries`);
  return { id, receiver, deliveries };
};

const raise = (organizationId: string, title: string) =>
  ask(organizationId, "POST", "security/alert", { action: "generate_alert", title, riskLevel: "HIGH" });

describe("a delivery that fails", () => {
  it("is tried again soon with the same id, and no redirect is followed", async () => {
    const { receiver, deliveries } = await addDestination("redirected", "SOC");
    const inside = await startReceiver();
    receiver.answer = (response) => {
      receiver.answer = (next) => next.writeHead(204).end();
      return response.writeHead(307, { location: inside.url }).end();
    };
    await raise("redirected", "A break-in");
    await eventually("it was tried", async () => (await deliveries())[0]?.attempts.length === 1);
    // The pause is five seconds. If the queue does not learn of it, the message is visible again after the queue's own time.
    await service.advance(VISIBILITY_MS, "last");
    const [first, second] = await receiver.until(2);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    await eventually("it arrives", async () => (await deliveries())[0]?.status === "delivered");
    expect((await deliveries())[0]?.attempts).toMatchObject([{ status: 307, error: "refused" }, { status: 204 }]);
    expect(inside.received).toEqual([]);
  });

  it("waits as long as Retry-After asks for", async () => {
    const { receiver, deliveries } = await addDestination("patient", "SOC");
    receiver.answer = (response) => {
      receiver.answer = (next) => next.writeHead(204).end();
      return response.writeHead(429, { "retry-after": "3600" }).end();
    };
    await raise("patient", "A break-in");
    await eventually("it was tried", async () => (await deliveries())[0]?.attempts.length === 1);
    await service.advance(30 * MINUTE_MS, "last");
    expect(receiver.received).toHaveLength(1);
    await service.advance(31 * MINUTE_MS, "last");
    await receiver.until(2);
    await eventually("it arrives", async () => (await deliveries())[0]?.status === "delivered");
  });

  it("ends after a day, can be retried, and after five days pauses the destination with an alert to the others", async () => {
    const dead = await addDestination("attacked", "Dead");
    const alive = await addDestination("attacked", "Alive");
    dead.receiver.answer = (response) => response.writeHead(500).end("down");
    await raise("attacked", "A break-in");
    for (let tries = 1; tries <= 9; tries++) {
      await eventually(`try ${tries}`, async () => ((await dead.deliveries())[0]?.attempts.length ?? 0) >= tries);
      await service.advance(10 * 60 * MINUTE_MS, "last");
    }
    const [failed] = await dead.deliveries();
    expect(failed).toMatchObject({ status: "failed", error: "no_tries_left" });
    expect(failed?.attempts).toHaveLength(9);

    await service.advance(5 * DAY_MS, "last");
    await ask("attacked", "POST", `notifications/deliveries/${failed?.id}/retry`);
    await eventually("the retry has failed", async () => (await dead.deliveries())[0]?.error === "failing");
    const destinations = await ask<{ id: string }[]>("attacked", "GET", "notifications");
    expect(destinations.find(({ id }) => id === dead.id)).toMatchObject({ status: "paused", pausedBecause: "failing" });
    await eventually("the other destination is told", async () =>
      alive.receiver.received.some(({ body }) => body.includes("notifications_paused")),
    );
    expect(dead.receiver.received.some(({ body }) => body.includes("notifications_paused"))).toBe(false);
  });
});
