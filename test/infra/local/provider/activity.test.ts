import { describe, expect, it } from "@jest/globals";
import { createStripeActivityLog } from "../../../../shared/provider/stripe/activity-log.ts";
import { usePerTest } from "../../../support/use-started.ts";
import { createFixture } from "./simulator-fixture.ts";

const fixture = usePerTest(createFixture);

const logOf = (secret: string) =>
  createStripeActivityLog({ url: fixture.simulator.url, clock: fixture.now })({
    secret,
    signal: AbortSignal.timeout(10_000),
  });

describe("the log of activity", () => {
  it("has what the control server adds and what the API does, page by page", async () => {
    const { apiKey } = fixture.simulator.demo;
    const details = {
      type: "user_invite",
      user_invite: { invited_user_email: "eve@example.com", roles: ["admin"], deep: {} },
    };
    for (let i = 0; i < 105; i++) await fixture.request("POST /provider/activity", { type: `t_${i}`, details });
    fixture.pass(60_000);
    const endpoint = await fixture.sdk().webhookEndpoints.create({ url: "https://a.example", enabled_events: ["*"] });
    await fixture.sdk().webhookEndpoints.update(endpoint.id, { disabled: true });
    await fixture.sdk().webhookEndpoints.del(endpoint.id);
    const first = await logOf(apiKey).list({});
    const second = await logOf(apiKey).list({ after: first.next });
    const all = [...first.items, ...second.items];
    expect([first.items.length, all.length, second.next]).toEqual([100, 108, undefined]);
    expect(new Set(all.map(({ id }) => id)).size).toBe(108);
    const destination = { type: "event_destination", event_destination: { id: endpoint.id, url: "https://a.example" } };
    expect(all.slice(0, 3)).toMatchObject(
      ["deleted", "disabled", "created"].map((what) => ({
        id: expect.stringMatching(/^accact_/),
        type: `event_destination_${what}`,
        occurredAt: fixture.nowSeconds() * 1_000,
        actor: { type: "api_key", apiKeyId: expect.stringMatching(/^mk_/) },
        details: destination,
      })),
    );
    expect(all[3]).toMatchObject({
      type: "t_104",
      actor: { type: "user", email: "owner@example.com" },
      details: { type: "user_invite", user_invite: { invited_user_email: "eve@example.com", roles: ["admin"] } },
    });
    expect(all[3]?.details.user_invite).not.toHaveProperty("deep");
  });

  it("shows an entry as late as the control server says", async () => {
    const { apiKey } = fixture.simulator.demo;
    await fixture.request("POST /provider/activity", { type: "late", listedAfterMs: 60_000 });
    expect((await logOf(apiKey).list({})).items).toEqual([]);
    fixture.pass(60_000);
    expect((await logOf(apiKey).list({})).items).toMatchObject([{ type: "late", occurredAt: fixture.now() - 60_000 }]);
  });

  it("is refused to restricted keys, to other API versions and to unknown pages", async () => {
    const { apiKey } = fixture.simulator.demo;
    const refused = { reason: "not_permitted", kind: "validation", outcome: "success" };
    await expect(logOf(apiKey.replace("sk_test_", "rk_test_")).list({})).rejects.toMatchObject({
      ...refused,
      status: 403,
    });
    await expect(logOf(apiKey).list({ after: "nothing" })).rejects.toMatchObject({ ...refused, status: 400 });
    await expect(logOf("sk_test_unknown").list({})).rejects.toMatchObject({
      ...refused,
      outcome: "neutral",
      status: 401,
    });
    await expect(logOf(apiKey.replace("sk_test_", "sk_live_")).list({})).resolves.toMatchObject({ items: [] });
    const url = `${fixture.simulator.url}/v2/iam/activity_logs`;
    const answer = await fetch(url, {
      headers: { authorization: `Bearer ${apiKey}`, "stripe-version": "2026-10-28.endive" },
    });
    expect(answer.status).toBe(400);
  });
});
