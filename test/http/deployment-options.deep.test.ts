import { createHash } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { eventually, organizationOf, PROVIDER, type SecurityEvent } from "../support/integration.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { synthesiseWith } from "../support/synthesise-with.ts";
import { useService } from "../support/use-service.ts";
import { webhookSender } from "../support/webhook-sender.ts";

const SECRET = "a-secret-of-the-cdn";
const ORIGIN = "https://app.example.com";
const CLIENT = "203.0.113.7";
const context = {
  webhookEntrance: "both",
  platformWebhookSecretArn: "arn:aws:secretsmanager:eu-central-1:000000000000:secret:platform-AbCdEf",
  allowedOrigins: ORIGIN,
  clientAddressHeader: "x-client-address",
  originSecretHashes: createHash("sha256").update(SECRET).digest("hex"),
};

const deployed = await useService({ assembly: await synthesiseWith("deployment-options", context) });
/** As the CDN: adds the secret and the client's address. */
const service: typeof deployed = {
  ...deployed,
  request: (method, path, { headers, ...parts } = {}) =>
    deployed.request(method, path, {
      ...parts,
      headers: { "x-origin-secret": SECRET, "x-client-address": CLIENT, ...headers },
    }),
};

describe("pages of another origin", () => {
  const preflight = (origin: string) =>
    fetch(`${service.stack.apiUrl}/plants`, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "authorization" },
    });

  it("may ask before they call, without the CDN's secret", async () => {
    const { status, headers } = await preflight(ORIGIN);
    expect(status).toBe(204);
    expect(Object.fromEntries(headers)).toMatchObject({
      "access-control-allow-origin": ORIGIN,
      "access-control-allow-methods": expect.stringContaining("DELETE"),
      "access-control-allow-headers": "authorization,content-type,idempotency-key",
      "access-control-max-age": "3600",
    });
    expect((await preflight("https://evil.example.com")).headers.has("access-control-allow-origin")).toBe(false);
  });

  it("may read successes and errors with their headers", async () => {
    const token = await service.mint({});
    for (const [sent, status] of [
      [{ token }, 200],
      [{}, 401],
    ] as const) {
      const answer = await service.request("GET", "/plants", { ...sent, headers: { origin: ORIGIN } });
      expect(answer.status).toBe(status);
      expect(answer.headers.get("access-control-allow-origin")).toBe(ORIGIN);
      expect(answer.headers.get("access-control-expose-headers")).toBe("link,retry-after,x-next-cursor,x-request-id");
    }
  });
});

describe("behind a CDN", () => {
  it("refuses a request that does not come through it, whatever address it claims", async () => {
    const token = await service.mint({});
    for (const headers of [
      {},
      { "x-client-address": CLIENT },
      { "x-client-address": CLIENT, "x-origin-secret": "x" },
    ]) {
      for (const path of ["/plants", "/openapi.json"]) {
        const response = await fetch(service.stack.apiUrl + path, {
          headers: { authorization: `Bearer ${token}`, ...headers },
        });
        expect([response.status, await response.json()]).toMatchObject([403, { error: 40304 }]);
      }
    }
  });

  it("judges the allowlist by the client's address, and records it", async () => {
    const ours = organizationOf(service, "behind-cdn");
    const put = (cidr: string) => ours.call("PUT", "settings", { ipAllowlist: [cidr] });
    expect(await put("127.0.0.1/32")).toMatchObject({ status: 409 });
    expect(await put(`${CLIENT}/32`)).toMatchObject({ status: 200 });
    const elsewhere = await ours.call("GET", "settings", undefined, {}, { "x-client-address": "2001:db8::9" });
    expect(elsewhere).toMatchObject({ status: 403, body: { error: 40302 } });
    const { body } = await ours.call("GET", "security?eventType=PERMISSION_DENIED");
    const [event] = (body as { events: SecurityEvent[] }).events;
    expect(event).toMatchObject({ ipAddress: "2001:db8::9" });
  });
});

describe("webhooks at an HTTP API", () => {
  it("find an organization whose id the API would decode, and the platform's endpoint", async () => {
    const secret = "whsec_of_these_tests";
    const ours = organizationOf(service, "grün/bike?a=1&b#c%41");
    const account = await simulatedProvider(service).account(1);
    await ours.connect(account.apiKey, { webhookSecret: secret });
    await ours.lastRun();
    const { webhookUrl } = (await ours.call("GET", "connection")).body as { webhookUrl: string };
    expect(webhookUrl.startsWith(`${service.stack.webhookUrl}/=`)).toBe(true);
    const sender = webhookSender(service, ours.organizationId, secret);
    const path = webhookUrl.slice(`${service.stack.webhookUrl}/`.length);
    const event = await sender.customerEvent("created", "cus_api");
    expect(await sender.send(event, { path })).toMatchObject({ status: 200 });
    await eventually("it is a record", async () =>
      (await ours.records("customers")).some(({ id }) => id === "cus_api"),
    );
    const forPlatform = { ...(await sender.customerEvent("created", "cus_platform")), account: account.accountId };
    const toPlatform = { path: "-/platform", secret: "whsec_local_platform" };
    expect(await sender.send(forPlatform, toPlatform)).toMatchObject({ status: 200 });
    await eventually("the platform's event is a record", async () =>
      (await ours.records("customers")).some(({ id }) => id === "cus_platform"),
    );
    // Percent-encoded, the address names another path after the API has decoded it.
    expect(await sender.send(event)).toMatchObject({ status: 400 });
    expect(await sender.send(event, { path, method: "GET" })).toMatchObject({ status: 405 });
    expect(await ours.call("GET", `${PROVIDER}/sync`)).toMatchObject({ status: 200 });
  });
});
