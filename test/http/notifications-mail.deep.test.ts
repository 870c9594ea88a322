/** Mails that SES refuses, and mails that come back: which destinations are paused for them, and who learns of it. */
import { describe, expect, it } from "@jest/globals";
import { mailboxOf, pageOf } from "../support/confirmation-mail.ts";
import { eventually, organizationOf } from "../support/integration.ts";
import { useService } from "../support/use-service.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const service = await useService();

type Delivery = { id: string; status: string; error?: string; attempts: { error?: string }[] };
type Destination = {
  id: string;
  status: string;
  pausedBecause?: string;
  failingSince?: number;
  failingBecause?: string;
};
type Alert = { rule: string; title: string; level: string; subject: string };

const setProblem = async (problem: string | null): Promise<void> => {
  const body = JSON.stringify({ problem });
  const answer = await fetch(`${service.stack.controlUrl}/ses`, {
    method: "PUT",
    body,
    headers: { "content-type": "application/json" },
  });
  expect(answer.status).toBe(200);
};

const askAs = (organizationId: string) => {
  const organization = organizationOf(service, organizationId);
  return async <Body>(method: "GET" | "POST" | "PUT", path: string, body?: object) =>
    (await organization.call(method, path, body)).body as Body;
};

/** A new e-mail destination of an organization. */
const addMail = async (organizationId: string, address: string) => {
  const ask = askAs(organizationId);
  const { id } = await ask<Destination>("POST", "notifications", { type: "email", name: "On call", address });
  const mailbox = mailboxOf(service.stack, address);
  return {
    id,
    mailbox,
    confirm: async (count = 1) => pageOf("POST", (await mailbox.newest(count)).confirm, ""),
    sample: () => ask("POST", `notifications/${id}/test`),
    retry: (delivery: string) => ask("POST", `notifications/deliveries/${delivery}/retry`),
    deliveries: () => ask<Delivery[]>("GET", `notifications/${id}/deliveries`),
    destination: async () => (await ask<Destination[]>("GET", "notifications")).find((one) => one.id === id),
    resume: async () =>
      (await organizationOf(service, organizationId).call("PUT", `notifications/${id}`, RESUMED)).status,
    alerts: () => ask<Alert[]>("GET", "security/alert"),
  };
};

const RESUMED = { name: "On call", status: "active" };

/** An organization with a confirmed e-mail destination. */
const mailedOrganization = async (organizationId: string) => {
  const added = await addMail(organizationId, `${organizationId}@customer.example`);
  await added.confirm();
  return added;
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

describe("a mail that comes back", () => {
  const lost = [
    ["bounced", "bounce.example", "its mail server refused a mail for good"],
    ["complained", "complaint.example", "its reader reported a mail as spam"],
  ] as const;

  it.each(lost)("pauses its own destination only, with an alert: %s", async (because, domain, cause) => {
    const organizationId = `returned-${because}`;
    const other = await addMail(organizationId, `other-${because}@customer.example`);
    await other.confirm();
    const foreign = await mailedOrganization(`foreign-${because}`);
    const bad = await addMail(organizationId, `ada@${domain}`);
    await eventually("it is paused", async () => (await bad.destination())?.status === "paused");
    expect(await bad.destination()).toMatchObject({
      pausedBecause: "failing",
      failingBecause: because,
      failingSince: expect.any(Number),
      pausedAt: expect.any(Number),
    });
    const title = `Notifications to "On call" are paused: ${cause}`;
    await eventually("there is an alert", async () => (await bad.alerts()).length > 0);
    expect(await bad.alerts()).toMatchObject([{ rule: "notifications_paused", level: "HIGH", subject: bad.id, title }]);
    // The alert is mailed to the other destination.
    expect((await other.mailbox.newest(2)).text).toContain(cause);
    for (const { destination } of [other, foreign]) expect(await destination()).toMatchObject({ status: "active" });
    expect(await foreign.alerts()).toEqual([]);
  });

  it("is believed less than a reader who uses the link, and once resumed the address must be confirmed again", async () => {
    const bad = await addMail("proven", "proven@bounce.example");
    await eventually("it is paused", async () => (await bad.destination())?.status === "paused");
    expect((await bad.confirm()).text).toContain("is confirmed");
    expect(await bad.destination()).toMatchObject({ status: "active" });
    for (const gone of ["pausedAt", "pausedBecause", "failingSince", "failingBecause"])
      expect(await bad.destination()).not.toHaveProperty(gone);

    await bad.sample();
    await eventually("it is paused again", async () => (await bad.destination())?.status === "paused");
    expect(await bad.destination()).toMatchObject({ pausedBecause: "failing", failingBecause: "bounced" });
    // An address is asked once in 24 hours.
    expect(await bad.resume()).toBe(409);
    await service.advance(DAY_MS, "last");
    expect(await bad.resume()).toBe(200);
    await eventually("the new mail bounces, too", async () => (await bad.destination())?.status === "paused");
    expect((await bad.mailbox.newest(3)).confirm).not.toBe("");
  });

  it("does not pause a destination for a full mailbox, but says why it fails", async () => {
    const full = await addMail("full", "transient@bounce.example");
    await eventually("it fails", async () => (await full.destination())?.failingBecause === "bounced");
    expect(await full.destination()).toMatchObject({ status: "unconfirmed", failingSince: expect.any(Number) });
    await full.confirm();
    expect(await full.destination()).toMatchObject({ status: "active" });
    expect(await full.destination()).not.toHaveProperty("failingBecause");
    await full.sample();
    await eventually("it fails again", async () => (await full.destination())?.failingBecause === "bounced");
    expect(await full.destination()).toMatchObject({ status: "active" });
    expect(await full.alerts()).toEqual([]);
  });
});
