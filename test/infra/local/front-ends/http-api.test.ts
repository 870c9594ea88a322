import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { createActivity } from "../../../../infra/local/core/activity.ts";
import { startHttpApi } from "../../../../infra/local/front-ends/http-api.ts";
import type { InvocationResult } from "../../../../infra/local/lambda/function-error.ts";
import { usePerFile } from "../../../support/use-started.ts";

const lines: string[] = [];
const judged: unknown[] = [];
let allowed = true;
let events: { routeKey: string; rawPath: string; body?: string; pathParameters?: Record<string, string> }[] = [];
const server = usePerFile(() => start(0));
const activity = createActivity();

const route = (routeKey: string) => ({ routeKey, functionArn: "arn:fn", sourceArn: `arn:api/${routeKey}` });
let finish: (() => void) | undefined;
/** @param integrationTimeoutMs so long that only a test of the time-out meets it, however slow the machine is */
const start = (port: number, integrationTimeoutMs = 60_000) =>
  startHttpApi({
    integrationTimeoutMs,
    api: {
      logicalId: "Api",
      apiId: "abc",
      arn: "arn:api",
      routes: [
        ...["GET /plants", "POST /plants", "DELETE /plants/{id}", "GET /a/{id}/b"].map(route),
        { ...route("GET /under-a-role"), roleArn: "arn:role" },
      ],
    },
    accountId: "123456789012",
    port,
    functions: {
      async invoke(_arn, payload, onStart): Promise<InvocationResult> {
        onStart?.();
        const event = JSON.parse(payload);
        events.push(event);
        if (event.rawQueryString === "slow")
          await new Promise<void>((resolve) => {
            finish = resolve;
          });
        return { ok: true, payload: JSON.stringify({ statusCode: 200, body: event.body ?? "ok" }) };
      },
    },
    authorizer: {
      judge(check) {
        judged.push(check);
        return { allowed, reason: "because no resource-based policy allows it" };
      },
    },
    clock: { now: () => 1_700_000_000_000 },
    activity,
    log: (line) => lines.push(line),
  });

beforeEach(() => {
  allowed = true;
  events = [];
  lines.length = 0;
  judged.length = 0;
});

/** Sends bytes unchanged and reads until the server closes the connection. */
const raw = (text: string) =>
  new Promise<string>((resolve, reject) => {
    let answer = "";
    const socket = connect(server.port, "127.0.0.1", () => socket.write(text));
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("end", () => resolve(answer));
    socket.on("error", reject);
  });

describe("the HTTP API", () => {
  it("passes a request to the route's function and returns its answer, without a header that names the software", async () => {
    const response = await fetch(`${server.url}/plants`, {
      method: "POST",
      body: '{"a":"é"}',
      headers: { "content-type": "application/json" },
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('{"a":"é"}');
    expect([...response.headers.keys()].sort()).toEqual([
      "connection",
      "content-length",
      "content-type",
      "date",
      "keep-alive",
    ]);
    expect(response.headers.get("date")).toBe(new Date(1_700_000_000_000).toUTCString());
    expect(judged).toEqual([
      {
        principal: { kind: "service", service: "apigateway.amazonaws.com", sourceArn: "arn:api/POST /plants" },
        action: "lambda:InvokeFunction",
        resource: "arn:fn",
      },
    ]);
  });

  it.each([
    ["/plants/a%20b", { id: "a b" }],
    ["/plants/%2B1+1?x=1", { id: "+1+1" }],
    ["/plants/7%3Fx=1", { id: "7" }],
    ["/plants/%C3%BC", { id: "ü" }],
  ])("decodes the path of %s before it routes", async (target, pathParameters) => {
    await fetch(server.url + target, { method: "DELETE" });
    expect(events).toMatchObject([{ routeKey: "DELETE /plants/{id}", pathParameters }]);
  });

  it("treats a decoded slash as a separator", async () => {
    await fetch(`${server.url}/a%2F1%2Fb`);
    expect(events).toMatchObject([{ routeKey: "GET /a/{id}/b", rawPath: "/a/1/b", pathParameters: { id: "1" } }]);
  });

  it("answers 404 if no route matches, and 400 if the path cannot be decoded", async () => {
    const missing = await fetch(`${server.url}/nowhere`);
    expect([missing.status, await missing.json()]).toEqual([404, { message: "Not Found" }]);
    expect((await fetch(`${server.url}/plants/%ff`)).status).toBe(400);
  });

  it("answers 500 and logs the reason if the function does not allow the API", async () => {
    allowed = false;
    const response = await fetch(`${server.url}/plants`);
    expect([response.status, await response.json()]).toEqual([500, { message: "Internal Server Error" }]);
    expect(events).toEqual([]);
    expect(lines).toEqual(["the route GET /plants may not invoke arn:fn because no resource-based policy allows it"]);
  });

  it("calls the function under the role of the route, and answers 500 if the role may not", async () => {
    const statuses: number[] = [];
    for (allowed of [true, false]) statuses.push((await fetch(`${server.url}/under-a-role`)).status);
    expect(statuses).toEqual([200, 500]);
    const principal = { kind: "role", roleArn: "arn:role", service: "apigateway.amazonaws.com" };
    const check = { principal, action: "lambda:InvokeFunction", resource: "arn:fn" };
    expect(judged).toEqual([check, check]);
    expect(events).toHaveLength(1);
  });

  it("refuses a body of more than 10 MB, with or without Content-Length", async () => {
    const body = Buffer.alloc(10 * 1_048_576 + 1, 32);
    const lengthless = new ReadableStream({
      start(controller) {
        controller.enqueue(body);
        controller.close();
      },
    });
    for (const init of [{ body }, { body: lengthless, duplex: "half" as const }]) {
      const response = await fetch(`${server.url}/plants`, { method: "POST", ...init });
      expect([response.status, await response.json()]).toEqual([413, { message: "Request Entity Too Large" }]);
    }
    expect(events).toEqual([]);
    expect((await fetch(`${server.url}/plants`, { method: "POST", body: body.subarray(1) })).status).toBe(200);
  });

  it.each([9_000, 11_000, 40_000])("enforces the limit on headers: %i bytes", async (size) => {
    const response = await fetch(`${server.url}/plants`, { headers: { "x-long": "x".repeat(size) } });
    expect(response.status).toBe(size > 10_240 ? 431 : 200);
  });

  it("answers 400 to a request that is not HTTP", async () => {
    expect(await raw("NONSENSE\r\n\r\n")).toMatch(/^HTTP\/1.1 400 .*\{"message":"Bad Request"\}$/s);
  });

  it("does not route HEAD as GET, and answers it without a body", async () => {
    const answer = await raw("HEAD /plants HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1.1 404 .*\r\n\r\n$/s);
  });

  it("serves many requests over one connection", async () => {
    const answer = await raw(
      "GET /plants HTTP/1.1\r\nhost: a\r\n\r\nGET /plants HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n",
    );
    expect(answer.match(/HTTP\/1.1 200/g)).toHaveLength(2);
  });

  it("keeps running if clients disconnect, also in the middle of a body", async () => {
    await new Promise<void>((resolve) => {
      const request = httpRequest(`${server.url}/plants`, { method: "POST", headers: { "content-length": "100" } });
      request.on("error", () => resolve());
      request.write("half", () => request.destroy());
    });
    expect((await fetch(`${server.url}/plants`)).status).toBe(200);
    expect(events).toHaveLength(1);
    expect(lines).toEqual([]);
  });

  it("stops waiting for a function after the integration time-out; the clock still waits for the function", async () => {
    const impatient = await start(0, 50);
    const response = await fetch(`${impatient.url}/plants?slow`);
    expect([response.status, await response.json()]).toEqual([503, { message: "Service Unavailable" }]);
    let moved = false;
    const moving = activity.quiesce(() => {
      moved = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(moved).toBe(false);
    finish?.();
    await moving;
    await impatient.close();
  });

  it("holds requests back while the clock is about to advance", async () => {
    const end = await activity.enter();
    let moved = false;
    const moving = activity.quiesce(() => {
      moved = events.length === 0;
    });
    const response = fetch(`${server.url}/plants`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(events).toEqual([]);
    end();
    await moving;
    expect(moved).toBe(true);
    expect((await response).status).toBe(200);
  });

  it("fails with an error that names the port in use", async () => {
    await expect(start(server.port)).rejects.toThrow(`port ${server.port} is taken`);
    await expect(start(server.port)).rejects.toThrow("PORT");
  });
});
