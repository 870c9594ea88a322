/** Mails that SES refuses: which destinations are paused for them, and who learns of it. */
import { describe, expect, it } from "@jest/globals";
import { mailboxOf, pageOf } from "../support/confirmation-mail.ts";
import { eventually, organizationOf } from "../support/integration.ts";
import { useService } from "../support/use-service.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const service = await useService();

type Delivery = { id: string; status: string; error?: string; attempts: { error?: string }[] };
type Destination = { id: string; status: string; pausedBecause?: string; failingSince?: number };

const setProblem = async (problem: string | null): Promise<void> => {
  const body = JSON.stringify({ problem });
  const answer = await fetch(`${service.stack.controlUrl}/ses`, {
    method: "PUT",
    body,
    headers: { "content-type": "application/json" },
  });
  expect(answer.status).toBe(200);
};

/** An organization with a confirmed e-mail destination. */
const mailedOrganization = async (organizationId: string) => {
  const organization = organizationOf(service, organizationId);
  const ask = async <Body>(method: "GET" | "POST" | "PUT", path: string, body?: object) =>
    (await organization.call(method, path, body)).body as Body;
  const address = `${organizationId}@customer.example`;
  const { id } = await ask<Destination>("POST", "notifications", { type: "email", name: "On call", address });
  const mailbox = mailboxOf(service.stack, address);
  await pageOf("POST", (await mailbox.newest(1)).confirm, "");
  return {
    mailbox,
    sample: () => ask("POST", `notifications/${id}/test`),
    retry: (delivery: string) => ask("POST", `notifications/deliveries/${delivery}/retry`),
    deliveries: () => ask<Delivery[]>("GET", `notifications/${id}/deliveries`),
    destination: async () => (await ask<Destination[]>("GET", "notifications")).find((one) => one.id === id),
    alerts: () => ask<{ rule: string }[]>("GET", "security/alert"),
  };
};

describe("a sender that SES refuses", () => {
  it("pauses no destination however long it lasts, and the mails arrive after it works again", async () => {
    const organizations = [await mailedOrganization("mailed"), await mailedOrganization("mailed-too")];
    await setProblem("paused");
    for (const one of organizations) await one.sample();
    for (let tries = 1; tries <= 9; tries++) {
      for (const { deliveries } of organizations)
        await eventually(`try ${tries}`, async () => ((await deliveries())[0]?.attempts.length ?? 0) >= tries);
      await service.advance(10 * HOUR_MS, "last");
    }
    await service.advance(5 * DAY_MS, "last");
    for (const { deliveries, destination, alerts, retry, mailbox } of organizations) {
      const [failed] = await deliveries();
      expect(failed).toMatchObject({ status: "failed", error: "no_tries_left" });
      expect(failed?.attempts[0]).toMatchObject({ error: "SendingPausedException" });
      await retry(String(failed?.id));
      await eventually("the retry has failed", async () => ((await deliveries())[0]?.attempts.length ?? 0) >= 10);
      expect(await destination()).toMatchObject({ status: "active" });
      expect(await destination()).not.toHaveProperty("failingSince");
      expect(await alerts()).toEqual([]);
      await setProblem(null);
      await service.advance(HOUR_MS, "last");
      await mailbox.newest(2);
      await setProblem("paused");
    }
    await setProblem(null);
  });
});
