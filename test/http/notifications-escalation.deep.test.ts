/** An alert that no user acknowledges in time goes to a second destination. */
import { describe, expect, it } from "@jest/globals";
import { eventually, organizationOf } from "../support/integration.ts";
import { useReceivers, useService } from "../support/use-service.ts";

const service = await useService();
const newReceiver = await useReceivers();
const MINUTE_MS = 60_000;
let organizations = 0;

type Delivery = { type: string; alertId?: string; status: string };

const freshOrganization = async () => {
  const { call } = organizationOf(service, `escalation-${++organizations}`);
  const create = async (name: string, more: object = {}) => {
    const { url } = await newReceiver();
    const { status, body } = await call("POST", "notifications", { type: "webhook", name, url, ...more });
    return { ...(body as { id: string; message?: string; escalate?: object }), status };
  };
  const deliveries = async (id: string) =>
    (await call("GET", `notifications/${id}/deliveries`)).body as readonly Delivery[];
  const raise = async (title: string) => {
    const { body } = await call("POST", "security/alert", { action: "generate_alert", title, riskLevel: "high" });
    return (body as { alert: { id: string } }).alert.id;
  };
  return { call, create, deliveries, raise };
};

describe("an escalation", () => {
  it("sends an alert that nobody has acknowledged to the other destination once", async () => {
    const { call, create, deliveries, raise } = await freshOrganization();
    const manager = await create("Manager", { filter: { changes: [] } });
    const escalate = { levels: ["HIGH", "CRITICAL"], afterMinutes: 5, to: manager.id };
    const team = await create("Team", { escalate });
    expect(team).toMatchObject({ status: 201, escalate });
    const forgotten = await raise("Forgotten");
    const answered = await raise("Answered");
    await call("POST", "security/alert", { action: "acknowledge", alertIds: [answered] });
    await eventually("the team is notified", async () => (await deliveries(team.id)).length === 2);
    await service.advance(6 * MINUTE_MS, "last");
    const escalated = await eventually("the alert is escalated", async () => {
      const [delivery] = await deliveries(manager.id);
      return delivery?.status === "delivered" && delivery;
    });
    expect(escalated).toMatchObject({ type: "security.alert.escalated", alertId: forgotten });
    await service.advance(6 * MINUTE_MS, "last");
    await call("POST", "security/alert", { action: "resolve", alertIds: [forgotten] });
    await eventually("the end is sent", async () => (await deliveries(manager.id)).length > 1);
    expect((await deliveries(manager.id)).map(({ type }) => type)).toEqual([
      "security.alert.resolved",
      "security.alert.escalated",
    ]);
  });

  it("must name another destination of the organization, levels, and 5 to 1,440 minutes", async () => {
    const { call, create } = await freshOrganization();
    const others = await (await freshOrganization()).create("Others'");
    const manager = await create("Manager");
    const good = { levels: ["HIGH"], afterMinutes: 5, to: manager.id };
    for (const to of [others.id, "unknown", ""]) {
      expect(await create("Team", { escalate: { ...good, to } })).toMatchObject({ status: 404 });
    }
    for (const bad of [
      { to: 7 },
      { levels: [] },
      { levels: ["HIGH", "HIGH"] },
      { levels: ["high"] },
      { afterMinutes: 4 },
      { afterMinutes: 1_441 },
      { afterMinutes: 5.5 },
    ]) {
      expect(await create("Team", { escalate: { ...good, ...bad } })).toMatchObject({
        status: 400,
        message: expect.stringContaining("escalate"),
      });
    }
    const team = await create("Team", { escalate: { ...good, afterMinutes: 1_440 } });
    const change = (body: object) => call("PUT", `notifications/${team.id}`, { name: "Team", ...body });
    expect(await change({ escalate: { ...good, to: team.id } })).toMatchObject({ status: 400 });
    expect(await change({ escalate: good })).toMatchObject({ status: 200, body: { escalate: good } });
    // The destination that it names may be gone; the rest can still be changed.
    await call("DELETE", `notifications/${manager.id}`);
    expect(await change({ escalate: good, status: "paused" })).toMatchObject({ status: 200 });
    const { body } = await change({});
    expect(body).not.toHaveProperty("escalate");
  });
});
