import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import * as z from "zod/mini";
import { createHandler, type HandlerDependencies } from "../../../shared/http/create-handler.ts";
import { type Cursors, createCursors } from "../../../shared/http/cursor.ts";
import { MAX_PAGE_BYTES } from "../../../shared/http/fit-list.ts";
import { deferRecording, type Refusal } from "../../../shared/http/refusals.ts";
import { defineRoute } from "../../../shared/http/route.ts";
import { Int64, Int64Parameter } from "../../../shared/json/int64.ts";
import { callStore } from "../../../shared/runtime/call-store.ts";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import type { Caller } from "../../../shared/terms/caller.ts";
import type { ErrorName } from "../../../shared/terms/error-catalogue.ts";
import { httpEvent, lambdaContext } from "../../support/http-event.ts";

const caller: Caller = {
  userId: "ada",
  organizationId: "acme",
  role: "member",
  sessionId: undefined,
  scope: "org:acme",
};
const parts: HandlerDependencies = {
  authenticate: async (header) => {
    if (header === "Bearer good") return caller;
    throw new DomainError(
      header === undefined ? "no_bearer_token" : "expired_token",
      "The token is missing or expired.",
    );
  },
  cursors: async () => createCursors("a secret of at least 32 characters"),
};

const about = { permission: "plants:write", tag: "plants", summary: "", description: "" } as const;
const change = defineRoute({
  ...about,
  method: "PUT",
  path: "/things/{id}",
  request: { params: z.object({ id: Int64Parameter }), body: z.object({ size: Int64 }) },
  success: { status: 202, description: "", body: z.object({ size: Int64 }) },
  failures: [],
});
const list = defineRoute({
  ...about,
  method: "GET",
  path: "/things",
  request: { query: z.object({ color: z.optional(z.string()) }) },
  paging: { defaultLimit: 3, maxLimit: 5, position: z.object({ id: Int64 }) },
  success: { status: 200, description: "", body: z.array(z.object({ name: z.string() })) },
  failures: [],
});

const json = { authorization: "Bearer good", "content-type": "application/json" };
const put = (overrides: Parameters<typeof httpEvent>[0] = {}) =>
  httpEvent({
    method: "PUT",
    rawPath: "/things/7",
    pathParameters: { id: "7" },
    headers: json,
    body: '{"size":1}',
    ...overrides,
  });
const get = (rawQueryString = "") =>
  httpEvent({ method: "GET", rawPath: "/things", headers: { authorization: "Bearer good" }, rawQueryString });
const things = (from: bigint, count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: from + BigInt(i), name: `thing ${from + BigInt(i)}`, secret: "x" }));
const nextOf = (response: { headers: Record<string, string> }) =>
  /^<\/things\?(.*)>; rel="next"$/.exec(response.headers.link ?? "")?.[1];

let lines: Record<string, unknown>[];
beforeEach(() => {
  lines = [];
  jest.spyOn(process.stdout, "write").mockImplementation((text) => {
    lines.push(JSON.parse(String(text)));
    return true;
  });
});
afterEach(() => void jest.restoreAllMocks());

describe("refusals that wait in memory", () => {
  it("are counted while an admitted request is answered, before the answer", async () => {
    const steps: string[] = [];
    const countRefusals = async () => {
      steps.push("begin");
      await new Promise(setImmediate);
      steps.push("counted");
    };
    const work = async ({ body }: { body: { size: bigint } }) => {
      steps.push("work");
      return body;
    };
    const handler = createHandler(change, work, {
      ...parts,
      countRefusals,
    });
    expect(await handler(put(), lambdaContext)).toMatchObject({ statusCode: 202 });
    expect(steps).toEqual(["begin", "work", "counted"]);
    await handler(put({ headers: {} }), lambdaContext);
    expect(steps).toHaveLength(3);
  });
});

describe("a handler", () => {
  it("calls its work with typed input and answers with the schema's fields only", async () => {
    const handler = createHandler(
      change,
      async ({ body, params }) => ({ size: body.size + params.id, extra: 1 }),
      parts,
    );
    await expect(handler(put({ body: '{"size":9007199254740986,"more":1}' }), lambdaContext)).resolves.toEqual({
      statusCode: 202,
      headers: {
        "cache-control": "no-store",
        "content-type": "application/json",
        "x-content-type-options": "nosniff",
        "x-request-id": "request-1",
      },
      body: '{"size":9007199254740993}',
    });
  });

  it("logs one short line per request, without data from the caller", async () => {
    await createHandler(change, async ({ body }) => body, parts)(put(), lambdaContext);
    expect(lines).toEqual([
      {
        level: "info",
        message: "PUT /things/{id}",
        requestId: "request-1",
        invocationId: "invocation-1",
        organizationId: "acme",
        status: 202,
        durationMs: expect.any(Number),
      },
    ]);
    expect(JSON.stringify(lines[0]).length).toBeLessThan(300);
  });

  it.each([
    ["no token", { headers: {}, body: "x", pathParameters: { id: "x" } }, 401, 40101],
    ["a bad token", { headers: { authorization: "Bearer old" }, body: "x" }, 401, 40103],
    ["a large body", { body: `"${"x".repeat(65_536)}"`, pathParameters: { id: "x" } }, 413, 41301],
    ["another type", { headers: { authorization: "Bearer good" }, pathParameters: { id: "x" } }, 415, 41501],
    ["broken JSON", { body: "{", pathParameters: { id: "x" } }, 400, 40001],
    ["a bad field", { body: "{}" }, 400, 40002],
    ["a bad parameter", { pathParameters: { id: "x" } }, 400, 40002],
  ])("answers %s in the order of checks", async (_what, event, status, error) => {
    const work = jest.fn(async () => ({ size: 1n }));
    const response = await createHandler(change, work, parts)(put(event), lambdaContext);
    expect(response.statusCode).toBe(status);
    expect(JSON.parse(response.body ?? "")).toEqual({ error, message: expect.stringMatching(/./) });
    expect(work).not.toHaveBeenCalled();
  });

  it("sends a challenge with an error code only if the request has a token", async () => {
    const handler = createHandler(change, async ({ body }) => body, parts);
    expect((await handler(put({ headers: {} }), lambdaContext)).headers["www-authenticate"]).toBe("Bearer");
    expect(
      (await handler(put({ headers: { authorization: "Bearer x" } }), lambdaContext)).headers["www-authenticate"],
    ).toBe('Bearer error="invalid_token"');
  });

  it("names every invalid field", async () => {
    const wide = defineRoute({ ...change, request: { body: z.object({ size: Int64, depth: Int64 }) } });
    const response = await createHandler(
      wide,
      async () => ({ size: 1n }),
      parts,
    )(put({ body: '{"size":"1"}' }), lambdaContext);
    expect(JSON.parse(response.body ?? "").message).toMatch(
      /^size: expected an integer .*; depth: expected an integer/,
    );
  });

  it("hides internal errors from the client, and logs them", async () => {
    const handler = createHandler(change, async () => Promise.reject(new Error("table plants-7 is on fire")), parts);
    const response = await handler(put(), lambdaContext);
    expect(response).toMatchObject({ statusCode: 500, body: expect.stringContaining('"error":50001') });
    expect(response.body).not.toContain("fire");
    expect(lines).toEqual([
      expect.objectContaining({ level: "error", status: 500, cause: expect.stringContaining("on fire") }),
    ]);
  });

  it("answers 500, not 400, if its own answer does not match the schema", async () => {
    const handler = createHandler(change, async () => ({ size: 2n ** 64n }), parts);
    await expect(handler(put(), lambdaContext)).resolves.toMatchObject({ statusCode: 500 });
  });

  it("sends Retry-After while the store is unavailable, and logs the cause", async () => {
    const cause = Object.assign(new Error("not authorized"), { name: "AccessDeniedException" });
    const failing = async () =>
      Promise.reject(new DomainError("store_unavailable", "The store did not answer.", { cause }));
    await expect(createHandler(change, failing, parts)(put(), lambdaContext)).resolves.toMatchObject({
      statusCode: 503,
      headers: { "retry-after": "1" },
    });
    expect(lines).toEqual([expect.objectContaining({ error: 50301, cause: "AccessDeniedException: not authorized" })]);
  });

  it("answers before Lambda's time-out", async () => {
    const handler = createHandler(change, () => new Promise(() => undefined), parts);
    const hurried = { ...lambdaContext, getRemainingTimeInMillis: () => 120 };
    await expect(handler(put(), hurried)).resolves.toMatchObject({ statusCode: 503, headers: { "retry-after": "1" } });
  });

  it("waits for a store that hangs until its own deadline, and then still notes the failure", async () => {
    jest.useFakeTimers({ doNotFake: ["nextTick", "queueMicrotask", "setImmediate"] });
    try {
      const hang = () =>
        callStore<never>(
          ({ abortSignal }) =>
            new Promise((_, reject) => abortSignal.addEventListener("abort", () => reject(abortSignal.reason))),
        );
      const noted: unknown[] = [];
      const recording = deferRecording(async () => ({
        recordRefusal: async () => undefined,
        countRefusals: async () => undefined,
        noteFailure: async (...failure) => {
          await callStore(async ({ abortSignal }) => abortSignal.throwIfAborted());
          noted.push(failure);
        },
      }));
      const answered = createHandler(change, hang, { ...parts, ...recording })(put(), lambdaContext);
      await jest.advanceTimersByTimeAsync(4_200);
      await expect(answered).resolves.toMatchObject({ statusCode: 503, headers: { "retry-after": "1" } });
      expect(noted).toEqual([["acme", "store"]]);
    } finally {
      jest.useRealTimers();
    }
  });
});

describe("a route with an Idempotency-Key", () => {
  it("needs the store of the keys, and no other route takes it", () => {
    const startWork = defineRoute({ ...change, method: "POST", isIdempotent: true });
    const answerOnce: HandlerDependencies["answerOnce"] = (_request, answer) =>
      answer({ id: "first", at: 0, isKeyed: false, isRepeated: false });
    const work = async () => ({ size: 1n });
    expect(() => createHandler(startWork, work, parts)).toThrow("POST /things/{id}");
    expect(() => createHandler(change, work, { ...parts, answerOnce })).toThrow("PUT /things/{id}");
    expect(createHandler(startWork, work, { ...parts, answerOnce })).toBeInstanceOf(Function);
  });

  it("gives the request to the store of the keys, and the identity to the work", async () => {
    const startWork = defineRoute({ ...change, method: "POST", isIdempotent: true });
    const identity = { id: "first", at: 7, isKeyed: true, isRepeated: false };
    const given: unknown[] = [];
    const answerOnce: HandlerDependencies["answerOnce"] = ({ route, caller: by, body }, answer) => {
      given.push([route.path, by?.userId, body]);
      return answer(identity);
    };
    const work = jest.fn(async () => ({ size: 1n }));
    const response = await createHandler(startWork, work, { ...parts, answerOnce })(put(), lambdaContext);
    expect(response.statusCode).toBe(202);
    // A key of one thing must not answer for another thing.
    expect(given).toEqual([["/things/{id}", "ada", { params: { id: 7n }, body: { size: 1n } }]]);
    expect(work.mock.calls).toEqual([[expect.objectContaining({ identity })]]);
  });

  it("is the only kind of route whose work receives the identity of its request", async () => {
    const seen = jest.fn();
    const other = createHandler(
      change,
      async (input) => {
        // @ts-expect-error: the input of this route has no identity.
        seen("identity" in input, input.identity);
        return input.body;
      },
      parts,
    );
    await expect(other(put({ headers: { ...json, "idempotency-key": "ä" } }), lambdaContext)).resolves.toMatchObject({
      statusCode: 202,
    });
    expect(seen.mock.calls).toEqual([[false, undefined]]);
  });
});

describe("a body", () => {
  const optional = defineRoute({
    ...change,
    path: "/things",
    request: { body: z.object({ size: z._default(Int64, 7n) }) },
  });

  it.each([undefined, "", "{}"])("whose fields are all optional may be %j", async (body) => {
    const handler = createHandler(optional, async ({ body: { size } }) => ({ size }), parts);
    // A request without a body has no content type.
    const headers = body ? json : { authorization: "Bearer good" };
    const event = httpEvent({ method: "PUT", rawPath: "/things", headers, ...(body !== undefined && { body }) });
    await expect(handler(event, lambdaContext)).resolves.toMatchObject({ statusCode: 202, body: '{"size":7}' });
  });

  it.each(["null", "[]", '"x"', "7"])("must be an object, and not %s", async (body) => {
    const handler = createHandler(optional, async ({ body: { size } }) => ({ size }), parts);
    await expect(handler(put({ body }), lambdaContext)).resolves.toMatchObject({ statusCode: 400 });
  });

  it.each(["{", `"${"x".repeat(70_000)}"`, "\u0000"])("is ignored on a route without a body", async (body) => {
    const bare = defineRoute({ ...change, path: "/things", request: {} });
    const handler = createHandler(bare, async (input) => ({ size: input.body === undefined ? 1n : 2n }), parts);
    for (const type of ["application/json", "text/plain"]) {
      const response = await handler(put({ body, headers: { ...json, "content-type": type } }), lambdaContext);
      expect(response).toMatchObject({ statusCode: 202, body: '{"size":1}' });
    }
  });
});

describe("a list", () => {
  const pageFrom = (total: number) =>
    createHandler(
      list,
      async ({ page }) => {
        const start = (page.after?.id ?? 0n) + 1n;
        const left = total - Number(start) + 1;
        const items = things(start, Math.min(page.limit, left));
        return { items, next: left > page.limit ? items.at(-1) : undefined };
      },
      parts,
    );

  it("returns each item once over all pages", async () => {
    const handler = pageFrom(8);
    const names: string[] = [];
    let query: string | undefined = "color=green&limit=3";
    let pages = 0;
    while (query !== undefined) {
      const response = await handler(get(query), lambdaContext);
      names.push(...JSON.parse(response.body ?? "").map(({ name }: { name: string }) => name));
      query = nextOf(response);
      pages++;
    }
    expect(pages).toBe(3);
    expect(names).toEqual(things(1n, 8).map(({ name }) => name));
  });

  it("has the schema's fields only, and no next link on the last page", async () => {
    const response = await pageFrom(3)(get(), lambdaContext);
    expect(JSON.parse(response.body ?? "")[0]).toEqual({ name: "thing 1" });
    expect(response.headers.link).toBeUndefined();
  });

  it("is compressed if it is large and the client accepts gzip", async () => {
    const answer = async (names: string, accept: string) => {
      const handler = createHandler(list, async () => ({ items: [{ id: 1n, name: names }], next: undefined }), parts);
      const event = get();
      return handler({ ...event, headers: { ...event.headers, "accept-encoding": accept } }, lambdaContext);
    };
    const large = "é".repeat(5_000);
    const { headers, body = "", isBase64Encoded } = await answer(large, "gzip, deflate, br");
    expect([headers["content-encoding"], isBase64Encoded]).toEqual(["gzip", true]);
    expect(JSON.parse(gunzipSync(Buffer.from(body, "base64")).toString())).toEqual([{ name: large }]);
    for (const plain of [await answer(large, "gzip;q=0, br"), await answer("small", "gzip")]) {
      expect(plain.headers).not.toHaveProperty("content-encoding");
      expect(plain.isBase64Encoded).toBeUndefined();
      expect(JSON.parse(plain.body ?? "")).toHaveLength(1);
    }
  });

  it("refuses a cursor for another filter, but lets the page size change", async () => {
    const next = nextOf(await pageFrom(8)(get("color=green"), lambdaContext));
    const cursor = new URLSearchParams(next).get("cursor") ?? "";
    expect((await pageFrom(8)(get(`color=red&cursor=${cursor}`), lambdaContext)).statusCode).toBe(400);
    expect((await pageFrom(8)(get(`cursor=${cursor}`), lambdaContext)).statusCode).toBe(400);
    expect((await pageFrom(8)(get(`color=green&limit=1&cursor=${cursor}`), lambdaContext)).statusCode).toBe(200);
  });

  it.each([
    "limit=0",
    "limit=6",
    "limit=1.5",
    "limit=+1",
    "limit= 1",
    "limit=0x1",
    "limit=1e0",
    "limit=",
    "limit=1&limit=1",
    "cursor=x",
  ])("refuses %p", async (query) => {
    await expect(pageFrom(3)(get(query), lambdaContext)).resolves.toMatchObject({ statusCode: 400 });
  });

  it("ends a page before 4 MB and continues on the next page", async () => {
    const large = "\u0001".repeat(MAX_PAGE_BYTES / 6 / 2);
    const handler = createHandler(
      list,
      async ({ page }) => {
        const start = (page.after?.id ?? 0n) + 1n;
        return { items: things(start, 3).map(({ id }) => ({ id, name: `${id}${large}` })), next: undefined };
      },
      parts,
    );
    const first = await handler(get(), lambdaContext);
    expect(Buffer.byteLength(first.body ?? "")).toBeLessThan(MAX_PAGE_BYTES);
    expect(JSON.parse(first.body ?? "")).toHaveLength(1);
    const second = await handler(get(nextOf(first)), lambdaContext);
    expect(JSON.parse(second.body ?? "")[0].name[0]).toBe("2");
  });

  it("may be one field of the answer, and shares the size limit with the others", async () => {
    const framed = defineRoute({
      ...list,
      paging: { ...list.paging, field: "things" },
      success: { ...list.success, body: z.object({ things: list.success.body, note: z.string() }) },
    });
    const handler = createHandler(
      framed,
      async ({ page }) => ({
        // Room for the cursor at the end of the body, and for one thing.
        note: "n".repeat(MAX_PAGE_BYTES - 2_055),
        things: things((page.after?.id ?? 0n) + 1n, 3),
        next: undefined,
      }),
      parts,
    );
    const first = await handler(get(), lambdaContext);
    expect(JSON.parse(first.body ?? "")).toMatchObject({ things: [{ name: "thing 1" }], note: expect.any(String) });
    expect(Buffer.byteLength(first.body ?? "")).toBeLessThan(MAX_PAGE_BYTES);
    const second = await handler(get(nextOf(first)), lambdaContext);
    expect(JSON.parse(second.body ?? "").things[0]).toEqual({ name: "thing 2" });
  });
});

describe("the key of cursors", () => {
  const reads = (opening: () => Promise<Cursors>) => {
    let count = 0;
    const cursors = () => {
      count += 1;
      return opening();
    };
    const work = async ({ page: { limit } }: { page: { limit: number } }) => ({
      items: things(1n, limit + 1).slice(0, limit),
      next: limit < 5 ? { id: 1n } : undefined,
    });
    const handler = createHandler(list, work, { ...parts, cursors });
    return { handle: (query: string) => handler(get(query), lambdaContext), count: () => count };
  };
  const open = async () => createCursors("a secret of at least 32 characters");

  it("is read only if a cursor is sent or answered", async () => {
    const { handle, count } = reads(open);
    expect((await handle("limit=5")).headers).not.toHaveProperty("link");
    expect(count()).toBe(0);
    const first = await handle("limit=3");
    expect(count()).toBe(1);
    await handle(`${nextOf(first)}`.replace("limit=3", "limit=5"));
    expect(count()).toBe(2);
  });

  it("is missing for these requests only", async () => {
    const { handle } = reads(() => Promise.reject(new DomainError("store_unavailable", "No.")));
    expect(await handle("limit=5")).toMatchObject({ statusCode: 200 });
    for (const query of ["limit=3", "limit=5&cursor=x"])
      expect(await handle(query)).toMatchObject({ statusCode: 503, headers: { "retry-after": expect.any(String) } });
  });
});

describe("another organization's cursor", () => {
  const cursors = createCursors("a secret of at least 32 characters");
  const query = "$default /things []";
  const refusalsOf = async (cursor: string) => {
    const refusals: Refusal[] = [];
    const recordRefusal = async (refusal: Refusal) => void refusals.push(refusal);
    const handler = createHandler(list, async () => ({ items: [], next: undefined }), { ...parts, recordRefusal });
    const { statusCode, body } = await handler(get(`cursor=${cursor}`), lambdaContext);
    return { statusCode, body, refusals };
  };
  const position = { id: 1n };

  it("is recorded as a refusal of the caller, and gets the same answer as a forged one", async () => {
    const foreign = await refusalsOf(cursors.seal({ scope: "org:globex", query }, position));
    const forged = await refusalsOf(
      createCursors("another secret of 32 characters or more").seal({ scope: "org:globex", query }, position),
    );
    expect(foreign.refusals).toMatchObject([{ caller, error: { code: "invalid_cursor", foreignScope: "org:globex" } }]);
    expect(forged.refusals).toEqual([]);
    expect([foreign.statusCode, foreign.body]).toEqual([400, forged.body]);
  });

  it("does not include a user's own cursor, or the organization's cursor of another query", async () => {
    for (const scope of ["user:eve", "org:acme"]) {
      const { statusCode, refusals } = await refusalsOf(cursors.seal({ scope, query: "GET /other []" }, position));
      expect({ statusCode, refusals }).toEqual({ statusCode: 400, refusals: [] });
    }
  });
});

describe("a store that fails", () => {
  it("is reported for the caller's organization; other failures are not", async () => {
    const failures: unknown[] = [];
    const noteFailure = async (...failure: unknown[]) => void failures.push(failure);
    const run = (code: ErrorName) =>
      createHandler(change, async () => Promise.reject(new DomainError(code, "No.")), { ...parts, noteFailure })(
        put(),
        lambdaContext,
      );
    expect((await run("store_unavailable")).statusCode).toBe(503);
    expect((await run("circuit_open")).statusCode).toBe(503);
    expect((await run("plant_exists")).statusCode).toBe(409);
    expect(failures).toEqual([["acme", "store"]]);
  });
});

describe("the origin of a request", () => {
  const originOf = async (event: ReturnType<typeof put>, more: Partial<HandlerDependencies> = {}) => {
    const origins: unknown[] = [];
    const work = async ({ origin }: { origin: unknown }) => {
      origins.push(origin);
      return { size: 1n };
    };
    await createHandler(change, work, { ...parts, ...more })(event, lambdaContext);
    return origins;
  };

  it("has the user agent only if the client sent one", async () => {
    const { userAgent: _, ...http } = put().requestContext.http;
    const anonymous = { ...put(), requestContext: { ...put().requestContext, http } };
    const origin = { requestId: "request-1", ipAddress: "127.0.0.1" };
    await expect(originOf(put())).resolves.toStrictEqual([{ ...origin, userAgent: "jest" }]);
    // @ts-expect-error: the type has a user agent, but a client may send none.
    await expect(originOf(anonymous)).resolves.toStrictEqual([origin]);
  });

  it("is the address that the CDN names, if there is one", async () => {
    const { requestContext } = put();
    const located = {
      ...put(),
      requestContext: { ...requestContext, http: { ...requestContext.http, sourceIp: "::1" } },
    };
    await expect(originOf(put(), { locateClient: () => located })).resolves.toMatchObject([{ ipAddress: "::1" }]);
  });
});
