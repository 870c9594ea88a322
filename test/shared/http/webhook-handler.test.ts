import { describe, expect, it } from "@jest/globals";
import { createWebhookHandler } from "../../../shared/http/webhook-handler.ts";
import type { Delivery, Receive } from "../../../shared/webhooks/receive.ts";
import { httpEvent, lambdaContext } from "../../support/http-event.ts";
import { quietLog } from "../../support/quiet-log.ts";

quietLog();

type Received = Parameters<Receive>[0];

/** The answer of the webhook URL, and what its receivers were called with. */
const post = async (event: Parameters<typeof httpEvent>[0], context = lambdaContext, work = async () => {}) => {
  const received: Received[] = [];
  const platform: Delivery[] = [];
  const handler = createWebhookHandler(
    {
      receive: (delivery) => work().then(() => void received.push(delivery)),
      receivePlatform: async (delivery) => void platform.push(delivery),
    },
    "signature",
  );
  const { statusCode, headers, body } = await handler(httpEvent({ rawPath: "/acme", ...event }), context);
  return { statusCode, headers, body: JSON.parse(body ?? "null"), received, platform };
};

const MAX_BYTES = 1_048_576;

describe("a delivery", () => {
  it("reaches its receiver with signature and origin", async () => {
    const { received, ...answer } = await post({ headers: { signature: "t=1" }, body: "aé€🌵" });
    expect(answer).toMatchObject({ statusCode: 200, body: { received: true }, platform: [] });
    expect(received).toEqual([
      {
        organizationId: "acme",
        signature: "t=1",
        body: Buffer.from("aé€🌵", "utf8"),
        origin: { requestId: "request-1", ipAddress: "127.0.0.1", userAgent: "jest" },
      },
    ]);
  });

  it("is empty without a body", async () => {
    const { received } = await post({});
    expect(received).toMatchObject([{ body: Buffer.alloc(0), signature: undefined }]);
  });

  it("at the platform's path reaches the platform's receiver only", async () => {
    const { received, platform } = await post({ rawPath: "/-/platform", body: "{}" });
    expect([received.length, platform.length]).toEqual([0, 1]);
  });

  it.each(["GET", "PUT", "OPTIONS"])("is not a %s", async (method) => {
    const { statusCode, headers, received } = await post({ method });
    expect([statusCode, headers.allow, received.length]).toEqual([405, "POST", 0]);
  });

  it("is 503 if it is not stored 250 ms before the time-out", async () => {
    const hurried = { ...lambdaContext, getRemainingTimeInMillis: () => 251 };
    const { statusCode, body } = await post({}, hurried, () => new Promise(() => undefined));
    expect([statusCode, body.error]).toEqual([503, 50301]);
  });
});

describe("the body in base64", () => {
  it.each(["", "YQ==", "YWI=", "YWJj", "+/+/"])("%j is decoded", async (body) => {
    const { received } = await post({ body, isBase64Encoded: true });
    expect(received.map((delivery) => Buffer.from(delivery.body).toString("base64"))).toEqual([body]);
  });

  it.each(["YQ", "YWI", "Y", "Y===", "YQ=A", "YW J", "\nYWJj", "YWJj\nYWJ", "YW-_", "{}=="])(
    "%j is refused",
    async (body) => {
      const { statusCode, body: answer, received } = await post({ body, isBase64Encoded: true });
      expect([statusCode, answer, received.length]).toEqual([
        400,
        { error: 40005, message: "body: expected base64" },
        0,
      ]);
    },
  );

  it("is the text itself if the event does not say base64", async () => {
    const { received } = await post({ body: "YWJj" });
    expect(received.map((delivery) => Buffer.from(delivery.body).toString())).toEqual(["YWJj"]);
  });
});

describe("the size of a body", () => {
  const statusOf = async (bytes: number, isBase64Encoded: boolean): Promise<number> => {
    const body = Buffer.alloc(bytes, "a").toString(isBase64Encoded ? "base64" : "utf8");
    return (await post({ body, isBase64Encoded })).statusCode;
  };

  it.each([false, true])("may be 1 MiB, in base64: %s", async (isBase64Encoded) => {
    await expect(statusOf(MAX_BYTES, isBase64Encoded)).resolves.toBe(200);
    await expect(statusOf(MAX_BYTES + 1, isBase64Encoded)).resolves.toBe(413);
  });

  it("is checked before base64 is decoded or searched", async () => {
    const { statusCode, body } = await post({ body: "-".repeat(1_398_105), isBase64Encoded: true });
    expect([statusCode, body.error]).toEqual([413, 41301]);
    expect((await post({ body: "-".repeat(1_398_104), isBase64Encoded: true })).statusCode).toBe(400);
  });
});

describe("the organization of a path", () => {
  it.each([
    ["/a", "a"],
    ["/a%20b", "a b"],
    [`/${"a".repeat(128)}`, "a".repeat(128)],
    [`/${encodeURIComponent("🌵".repeat(128))}`, "🌵".repeat(128)],
  ])("%s is %s", async (rawPath, organizationId) => {
    expect((await post({ rawPath })).received).toMatchObject([{ organizationId }]);
  });

  it.each(["/", "//", "/a/b", "/a/", "/-/other", `/${"a".repeat(129)}`, "/%ff", "/%"])(
    "%s is none",
    async (rawPath) => {
      expect((await post({ rawPath })).received).toMatchObject([{ organizationId: undefined }]);
    },
  );
});
