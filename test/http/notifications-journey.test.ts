/** An administrator points a destination at a listener of one's own, and learns of a brute force from the signed alert. */
import { expect, it } from "@jest/globals";
import { Webhook } from "standardwebhooks";
import { eventually, organizationOf } from "../support/integration.ts";
import { useReceivers, useSharedService } from "../support/use-service.ts";

const service = await useSharedService();
const receiver = await useReceivers()();

it("a brute force arrives as one signed alert, and the log of deliveries shows it", async () => {
  const { as, call } = organizationOf(service, "notified-of-brute-force");
  const created = await call("POST", "notifications", { type: "webhook", name: "SOC", url: receiver.url });
  expect(created.status).toBe(201);
  const destination = created.body as { id: string; secret: string };

  const token = await as({ userId: "eve", expiresInSeconds: -120 });
  for (let i = 0; i < 5; i++) expect((await service.request("GET", "/plants", { token })).status).toBe(401);
  const [alert] = (await call("GET", "security/alert")).body as { id: string }[];

  const arrived = await eventually("the alert arrives", async () => receiver.received[0]);
  const headers = arrived.headers as Record<string, string>;
  expect(new Webhook(destination.secret).verify(arrived.body, headers)).toMatchObject({
    type: "security.alert.raised",
    data: { alert: { id: alert?.id, level: "HIGH" } },
  });
  const delivery = await eventually("the delivery is recorded", async () => {
    const { body } = await call("GET", `notifications/${destination.id}/deliveries`);
    return (body as { id: string; status: string }[]).find(({ status }) => status !== "pending");
  });
  expect(delivery).toMatchObject({ status: "delivered", alertId: alert?.id, attempts: [{ status: 204 }] });
  // A repetition of the delivery would have the same id.
  const ids = new Set(receiver.received.map((one) => one.headers["webhook-id"]));
  expect([...ids]).toEqual([delivery.id.replace(".", "_")]);
});
