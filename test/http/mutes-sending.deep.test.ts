/** What mutes withhold and send, with the deployed functions, their rights and their schedule. */
import { expect, it } from "@jest/globals";
import { eventually, organizationOf } from "../support/integration.ts";
import { useReceivers, useService } from "../support/use-service.ts";

const HOUR = 3_600_000;
const PATIENCE = 240_000;

const service = await useService();
const startReceiver = useReceivers();

type Sent = { type: string; data: { reason?: string; total?: number; alert?: { title: string; rule: string } } };

it(
  "the end of a mute sends one summary of seven hidden alerts, and resolves the alert about the mute",
  async () => {
    const { call, events } = organizationOf(service, "muted");
    const receiver = await startReceiver();
    await call("POST", "notifications", { type: "webhook", name: "SOC", url: receiver.url });
    const sent = () => receiver.received.map(({ body }) => JSON.parse(body) as Sent);
    const generate = (title: string) =>
      call("POST", "security/alert", { action: "generate_alert", title, riskLevel: "HIGH" });
    const mute = { rules: ["manual"], reason: "maintenance" };
    const { body } = await call("POST", "mutes", { ...mute, until: Date.now() + HOUR });
    const { id } = body as { id: string };
    await eventually("the mute is told of", async () => sent().length > 0);
    for (let i = 0; i < 7; i++) await generate(`Alert ${i}`);
    const read = async () => (await call("GET", `mutes/${id}`)).body as { state: string; hidden: object };
    await eventually("all alerts are hidden", async () => {
      const { hidden } = await read();
      return (hidden as { notifications: number }).notifications === 7;
    });
    expect(sent().map(({ data }) => data.alert?.rule)).toEqual(["alerts_muted"]);
    await service.advance(HOUR + 5 * 60_000);
    const summary = await eventually("the summary arrives", async () =>
      sent().find(({ data }) => data.reason === "mute_ended"),
    );
    expect(summary).toMatchObject({ type: "security.alerts.summary", data: { total: 7 } });
    expect(await read()).toMatchObject({ state: "ended", hidden: { alerts: 7, byLevel: { HIGH: 7 } } });
    const [ended] = await events("eventType=ALERT_MUTE_ENDED");
    expect(ended).toMatchObject({ source: "system" });
    expect(ended).not.toHaveProperty("userId");
    const alerts = (await call("GET", "security/alert?status=resolved")).body as { rule: string; subject: string }[];
    expect(alerts).toMatchObject([{ rule: "alerts_muted", subject: id }]);
    await service.advance(HOUR);
    expect(sent().filter(({ type }) => type === "security.alerts.summary")).toHaveLength(1);
    expect(sent().filter(({ type }) => type === "security.alert.raised")).toHaveLength(1);
  },
  PATIENCE,
);

it(
  "a mute of every level does not hide the deletion of the last destination, which is its last message",
  async () => {
    const { call } = organizationOf(service, "muted-deletion");
    const receiver = await startReceiver();
    const hook = { type: "webhook", name: "SOC", url: receiver.url };
    const destination = (await call("POST", "notifications", hook)).body as { id: string };
    const sent = () => receiver.received.map(({ body }) => (JSON.parse(body) as Sent).data.alert?.rule);
    const levels = ["LOW", "MEDIUM", "HIGH", "CRITICAL"];
    // The clock was moved by other tests.
    const mute = { levels, includeCritical: true, until: Date.now() + 5 * HOUR, reason: "hide everything" };
    expect(await call("POST", "mutes", mute)).toMatchObject({ status: 201 });
    await eventually("the mute is told of", async () => sent().includes("alerts_muted"));
    await call("POST", "security/alert", { action: "generate_alert", title: "hidden", riskLevel: "CRITICAL" });
    expect(await call("DELETE", `notifications/${destination.id}`)).toMatchObject({ status: 204 });
    await eventually("the deletion is told of", async () => sent().includes("notifications_silenced"));
    await service.advance(5 * HOUR);
    expect(sent()).toEqual(["alerts_muted", "notifications_silenced"]);
  },
  PATIENCE,
);
