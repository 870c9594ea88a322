/** A flood of forged deliveries, and webhook secrets that change or that two organizations share. */
import { describe, expect, it } from "@jest/globals";
import { mostInAMinute } from "../support/flood.ts";
import { eventually, organizationOf } from "../support/integration.ts";
import { useConnected, useService } from "../support/use-service.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const service = await useService();
const { provider, ours, account, sender, customerOf, settled } = useConnected(service, { name: "hooks" });
const deliveries = () => ours.events("eventType=WEBHOOK_RECEIVED");

describe("a delivery that is not genuine", () => {
  /** The answer is the same for all reasons. */
  const refused = { error: 40005, message: "The signature does not verify, or no webhooks are expected here." };
  const expectRefused = async (answer: Promise<{ status: number; text: string }>) => {
    const { status, text } = await answer;
    expect({ status, body: JSON.parse(text) }).toEqual({ status: 400, body: refused });
  };

  it("records few events in a flood, with source webhook, and feeds no rule of the organization", async () => {
    const event = await sender.customerEvent("created", "cus_flood");
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 50 }, () => expectRefused(sender.send(event, { secret: "whsec_no" }))));
    }
    const events = await ours.events("eventType=AUTHENTICATION_FAILURE");
    expect(events.length).toBeGreaterThanOrEqual(5);
    expect(mostInAMinute(events)).toBeLessThanOrEqual(20);
    for (const one of events) {
      expect(one).toMatchObject({ source: "webhook", category: "authentication", action: "receive_webhook" });
      expect(JSON.stringify(one)).not.toContain("whsec");
    }
    expect(events.some(({ metadata }) => "failures" in (metadata as object))).toBe(true);
    expect(await deliveries()).toEqual([]);
    // To the time when the hour has ended and was judged.
    const intoHourMs = ((await sender.nowSeconds()) * 1_000) % HOUR;
    const { fired } = await service.advance(HOUR - intoHourMs + 10 * MINUTE);
    expect(fired).toContainEqual(expect.objectContaining({ name: expect.stringMatching(/detection/i) }));
    const { suspiciousActivity } = (await ours.call("GET", "security")).body as { suspiciousActivity: unknown[] };
    expect(suspiciousActivity).toEqual([]);
    // The risk level alone raises one alert, as for every event; a rule raises no second one.
    const alerts = (await ours.call("GET", "security/alert")).body as { rule: string }[];
    expect(alerts.map(({ rule }) => rule)).toEqual(["event_threshold"]);
  });
});

describe("secrets", () => {
  it("that were replaced are invalid from the next delivery on", async () => {
    const event = await sender.customerEvent("created", "cus_replaced");
    expect(await sender.send(event)).toMatchObject({ status: 200 });
    for (const [fresh, replaced] of [
      ["whsec_second", sender.secret],
      ["whsec_third", "whsec_second"],
      [sender.secret, "whsec_third"],
    ] as const) {
      await ours.connect(account.apiKey, { webhookSecret: fresh });
      expect(await sender.send(event, { secret: replaced })).toMatchObject({ status: 400 });
      expect(await sender.send(event, { secret: fresh })).toMatchObject({ status: 200 });
    }
  });

  it("that two organizations share do not mix their events", async () => {
    const others = organizationOf(service, `${ours.organizationId}-twin`);
    await others.connect((await provider.account(1)).apiKey, { webhookSecret: sender.secret });
    await others.lastRun();
    const event = await sender.customerEvent("created", "cus_twin");
    expect(await sender.send(event)).toMatchObject({ status: 200 });
    await eventually("it is ours", () => customerOf("cus_twin"));
    await settled();
    expect((await others.records("customers")).map(({ id }) => id)).not.toContain("cus_twin");
    // The signature does not cover the URL: the same bytes are also valid for the other organization.
    expect(await sender.send(event, { path: others.organizationId })).toMatchObject({ status: 200 });
    await eventually("it is theirs too", async () =>
      (await others.records("customers")).some(({ id }) => id === "cus_twin"),
    );
  });
});
