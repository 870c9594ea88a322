/** The limits of docs/limits.md with characters of every width: exact at the limit; refused, or cut and marked, beyond it. */
import { describe, expect, it } from "@jest/globals";
import { routes } from "../../shared/api/routes.ts";
import { createCursors } from "../../shared/http/cursor.ts";
import { createRequestParser } from "../../shared/http/parse-request.ts";
import { createResultRenderer } from "../../shared/http/render-result.ts";
import type { NewSecurityEvent } from "../../shared/security/security-event.ts";
import { httpEvent } from "../support/http-event.ts";
import { allInputs } from "../support/input-contract.ts";
import { WIDE_CHARACTERS } from "../support/wide-characters.ts";
import { useWorld } from "./erasure/world.ts";

const ALERT = { action: "generate_alert", title: "t", riskLevel: "LOW" };
const SECURITY = "get /api/integrations/provider/security: query";
const ALERTS = "post /api/integrations/provider/security/alert: body";
const RECORDS = "get /api/integrations/provider/records/{type}: query";

/** Texts of requests: their input, their limit in characters, and a value with the text. */
const texts: [title: string, field: string, limit: number, of: (text: string) => unknown][] = [
  ["post /plants: body", "name", 256, (name) => ({ id: 1, name })],
  ["post /plants: body", "tag", 128, (tag) => ({ id: 1, name: "x", tag })],
  [`${RECORDS} customerId`, "", 256, (text) => text],
  [`${RECORDS} status`, "", 256, (text) => text],
  [`${SECURITY} userId`, "", 128, (text) => text],
  [ALERTS, "title", 256, (title) => ({ ...ALERT, title })],
  [ALERTS, "message", 1_024, (message) => ({ ...ALERT, message })],
  [ALERTS, "eventIds", 128, (id) => ({ ...ALERT, eventIds: [id] })],
  ["post /api/integrations/provider/circuit-breaker: body", "reason", 512, (reason) => ({ action: "reset", reason })],
  ["post /api/integrations/provider/erasure: body", "reason", 512, (reason) => ({ scope: "all", reason })],
  ["post /api/integrations/provider/erasure: body", "userId", 128, (userId) => ({ scope: "user", userId })],
];

/** Metadata of exactly this many bytes of JSON. */
const metadataOf = (character: string, bytes: number) => {
  const room = bytes - Buffer.byteLength(JSON.stringify({ n: "" }));
  const each = Buffer.byteLength(JSON.stringify(character)) - 2;
  return { n: character.repeat(Math.floor(room / each)) + "x".repeat(room % each) };
};

const world = useWorld();

describe.each(WIDE_CHARACTERS)("texts of %j", (character) => {
  it.each(texts)("are accepted by %s %s at the limit, and refused beyond it", async (title, _, limit, of) => {
    const input = allInputs.find((one) => one.title === title);
    expect(await input?.refusal(of(character.repeat(limit)))).toBeUndefined();
    expect(await input?.refusal(of(character.repeat(limit + 1)))).toBe("invalid_field");
  });

  it("are accepted in an alert's metadata up to 2,048 bytes", async () => {
    const input = allInputs.find((one) => one.title === ALERTS);
    expect(await input?.refusal({ ...ALERT, metadata: metadataOf(character, 2_048) })).toBeUndefined();
    expect(await input?.refusal({ ...ALERT, metadata: metadataOf(character, 2_049) })).toBe("invalid_field");
  });

  const stored = async (fields: Partial<NewSecurityEvent>) => {
    const organizationId = `limits-${character}-${JSON.stringify(fields).length}`;
    const event = {
      organizationId,
      eventType: "DATA_READ",
      category: "data_access",
      riskLevel: "LOW",
      source: "user",
      success: true,
      ...fields,
    } as NewSecurityEvent;
    await world.main.recorder.record(event);
    const page = { limit: 9, after: undefined, now: world.time.now };
    const { events } = await world.main.securityEvents.list({ organizationId, since: 0 }, page);
    expect(events).toHaveLength(1);
    return events[0];
  };

  it("are stored in an event as they are at the limit", async () => {
    const exact = {
      errorMessage: character.repeat(512),
      action: character.repeat(256),
      metadata: metadataOf(character, 2_048),
    };
    expect(await stored(exact)).toMatchObject(exact);
  });

  it("are cut between characters and marked beyond the limit", async () => {
    const event = await stored({
      errorMessage: character.repeat(513),
      action: character.repeat(257),
      metadata: metadataOf(character, 2_049),
    });
    for (const [text = "", limit] of [
      [event?.errorMessage, 512],
      [event?.action, 256],
    ] as const) {
      expect([...text]).toHaveLength(limit);
      expect(text).toMatch(/…\[cut\]$/);
      expect(text.isWellFormed()).toBe(true);
    }
    const metadata = JSON.stringify(event?.metadata);
    expect(Buffer.byteLength(metadata)).toBeLessThanOrEqual(2_048);
    expect(event?.metadata).toMatchObject({ cut: true });
    expect(String(Object(event?.metadata).n).isWellFormed()).toBe(true);
  });
});

const refusalOf = (title: string, value: unknown) => allInputs.find((one) => one.title === title)?.refusal(value);

describe("settings", () => {
  it("take 100 networks of the greatest length, and not one more", async () => {
    const networks = (count: number) =>
      Array.from({ length: count }, (_, n) => `2001:0db8:ffff:ffff:ffff:ffff:255.255.255.${n}/128`);
    const title = "put /api/integrations/provider/settings: body";
    expect(await refusalOf(title, { ipAllowlist: networks(100) })).toBeUndefined();
    expect(await refusalOf(title, { ipAllowlist: networks(101) })).toBe("invalid_field");
  });
});

describe("the secrets of a connection", () => {
  const CONNECT = "put /api/integrations/provider/connection: body";
  const SECRETS = "put /api/integrations/provider/connection/webhook-secrets: body";
  const refusals = async (secret: string) => [
    await refusalOf(CONNECT, { method: "api_key", apiKey: secret }),
    await refusalOf(CONNECT, { method: "api_key", apiKey: "k", webhookSecret: secret }),
    await refusalOf(SECRETS, { webhookSecrets: Array(4).fill(secret) }),
  ];
  const accepted = [undefined, undefined, undefined];
  const refused = ["invalid_field", "invalid_field", "invalid_field"];

  it.each(["x", '"', "\\", "%", "<"])("have at most 512 characters: %j", async (character) => {
    expect(await refusals(character.repeat(512))).toEqual(accepted);
    expect(await refusals(character.repeat(513))).toEqual(refused);
    expect(await refusalOf(SECRETS, { webhookSecrets: Array(5).fill(character) })).toBe("invalid_field");
  });

  it.each(WIDE_CHARACTERS.filter((one) => !/[!-~]/.test(one)))("have no %j", async (character) => {
    expect(await refusals(character)).toEqual(refused);
  });
});

describe("the address of the next page", () => {
  it("leaves 2 KB of the gateway's 10,240 bytes for the token, whatever the filters", async () => {
    const cursors = createCursors("secret");
    const scope = `org:${"😀".repeat(128)}` as const;
    const caller = { userId: "ada", organizationId: "o", role: "admin", sessionId: undefined, scope } as const;
    const wide = encodeURIComponent("😀".repeat(256));
    const event = httpEvent({
      method: "GET",
      rawPath: "/api/integrations/provider/records/subscriptions",
      pathParameters: { type: "subscriptions" },
      rawQueryString: `customerId=${wide}&status=${wide}&limit=1000`,
    });
    const parsed = await createRequestParser(routes.listRecords, async () => cursors)(event, caller);
    const next = { createdAt: 9_999_999_999_999, id: "x".repeat(255) };
    const { headers } = await createResultRenderer(routes.listRecords, async () => cursors)(event, parsed, {
      items: [],
      next,
    });
    expect(headers.link?.length).toBeGreaterThan(6_144);
    expect(headers.link?.length).toBeLessThan(10_240 - 2_048);
  });
});
