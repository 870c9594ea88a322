/** What the endpoints of notifications do over days of the local cloud's clock, and beyond their bounds. */
import { describe, expect, it } from "@jest/globals";
import { mailboxOf, pageOf } from "../support/confirmation-mail.ts";
import { organizationOf } from "../support/integration.ts";
import { useService } from "../support/use-service.ts";

const HOUR_MS = 3_600_000;

const service = await useService();

type Destination = { id: string; status: string };

const ask = async <Body>(organizationId: string, method: string, path = "", body?: object) => {
  const answer = await organizationOf(service, organizationId).call(method, `notifications${path}`, body);
  return { ...answer, body: answer.body as Body };
};

const slack = { type: "slack", name: "#alerts", url: "https://hooks.slack.com/services/T0/B0/of-the-url" };

describe("destinations", () => {
  it("are at most 20, even if they are created at once; a deleted one makes room", async () => {
    const create = () => ask("many", "POST", "", slack);
    const statuses = await Promise.all(Array.from({ length: 22 }, async () => (await create()).status));
    expect(statuses.filter((status) => status === 201)).toHaveLength(20);
    expect(await create()).toMatchObject({ status: 409, body: { error: 40910 } });
    const { body: all } = await ask<Destination[]>("many", "GET");
    expect(all).toHaveLength(20);
    await ask("many", "DELETE", `/${all[0]?.id}`);
    expect((await create()).status).toBe(201);
  });
});

describe("the link that confirms an address", () => {
  const email = { type: "email", name: "On call" };

  it("ends after 48 hours, and PUT sends another one", async () => {
    const address = "late@example.com";
    const { body } = await ask<Destination>("late", "POST", "", { ...email, address });
    const path = `/${body.id}`;
    const mailbox = mailboxOf(service.stack, address);
    const { confirm, unsubscribe } = await mailbox.newest(1);
    // A second one within a minute would be a second mail for nothing.
    expect((await ask("late", "PUT", path, { name: "On call", address })).status).toBe(200);
    await service.advance(48 * HOUR_MS, "last");
    for (const method of ["GET", "POST"])
      expect(await pageOf(method, confirm)).toMatchObject({ status: 410, text: expect.stringContaining("41001") });
    expect((await ask<Destination[]>("late", "GET")).body).toMatchObject([{ status: "unconfirmed" }]);
    expect((await ask("late", "PUT", path, { name: "On call", address })).status).toBe(200);
    const second = await mailbox.newest(2);
    expect(second.confirm).not.toBe(confirm);
    expect((await pageOf("POST", second.confirm, "")).status).toBe(200);
    expect((await ask<Destination[]>("late", "GET")).body).toMatchObject([{ status: "active" }]);
    await service.advance(20 * 24 * HOUR_MS, "last");
    expect((await pageOf("POST", second.unsubscribe, "List-Unsubscribe=One-Click")).status).toBe(200);
    expect((await ask<Destination[]>("late", "GET")).body).toMatchObject([{ pausedBecause: "unsubscribed" }]);
    expect(await pageOf("POST", unsubscribe)).toMatchObject({ status: 410 });
  });

  it("is mailed at most 50 times a day for an organization", async () => {
    const { body } = await ask<Destination>("bomber", "POST", "", { ...email, address: "victim-0@example.com" });
    const statuses: number[] = [];
    for (let i = 1; i <= 50; i++) {
      const { status } = await ask("bomber", "PUT", `/${body.id}`, { name: "x", address: `victim-${i}@example.com` });
      statuses.push(status);
    }
    expect(statuses).toEqual([...Array.from({ length: 49 }, () => 200), 409]);
    const more = await ask("bomber", "POST", "", { ...email, address: "victim@example.com" });
    expect(more).toMatchObject({ status: 409, body: { error: 40915 } });
    expect((await ask<Destination[]>("bomber", "GET")).body).toHaveLength(1);
    await service.advance(24 * HOUR_MS, "last");
    expect((await ask("bomber", "POST", "", { ...email, address: "victim@example.com" })).status).toBe(201);
  });
});
