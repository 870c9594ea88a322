import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it, jest } from "@jest/globals";
import * as z from "zod/mini";
import { createAnswerOnce } from "../../../shared/http/answer-once.ts";
import { createHandler, type Work } from "../../../shared/http/create-handler.ts";
import { defineRoute } from "../../../shared/http/route.ts";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import { createIdempotencyStore, type IdempotencyStore } from "../../../shared/runtime/idempotency-store.ts";
import { defaultSettings } from "../../../shared/settings/settings.ts";
import { httpEvent, lambdaContext } from "../../support/http-event.ts";
import { startLossyProxy } from "../../support/lossy-proxy.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { usePerFile } from "../../support/use-started.ts";
import { useDatabase } from "../../support/use-table.ts";

quietLog();

const NOW = Date.UTC(2026, 10, 21, 12);
const DAY = 86_400_000;

const route = defineRoute({
  method: "POST",
  path: "/letters",
  permission: "sync:run",
  tag: "sync",
  summary: "",
  description: "",
  request: { body: z.object({ text: z.optional(z.string()) }) },
  isIdempotent: true,
  success: {
    status: 202,
    description: "",
    body: z.object({ id: z.string(), sent: z.union([z.int(), z.bigint()]), secret: z.optional(z.string()) }),
  },
  failures: [],
});

const database = useDatabase("idempotencyKeys");
const proxy = usePerFile(() => startLossyProxy(database.running().endpoint));
const SEALING_KEY = "a key of 32 characters that seals";
const stored = createIdempotencyStore(database.table("idempotencyKeys"), SEALING_KEY);
let organizations = 0;
let organizationId: string;
let now: number;
/** The effects: by the request's id, the texts that were sent. */
let letters: Map<string, string[]>;
beforeEach(() => {
  organizationId = `acme ${++organizations}`;
  now = NOW;
  letters = new Map();
});

/** Has one effect per identity; `sent` differs with each attempt, so that equal answers were stored. */
let attempts = 0;
const send: Work<typeof route> = async ({ body: { text = "" }, identity }) => {
  if (!letters.has(identity.id)) letters.set(identity.id, [text]);
  return { id: identity.id, sent: ++attempts };
};

let ids = 0;
const instance = ({
  work = send,
  keys = stored,
  sealingKey = SEALING_KEY,
  userId = "ada",
  remainingMs = 10_000,
  storage = async () => ({ keys, sealingKey }),
}: {
  work?: Work<typeof route>;
  keys?: IdempotencyStore;
  sealingKey?: string;
  userId?: string;
  remainingMs?: number;
  storage?: () => Promise<{ keys: IdempotencyStore; sealingKey: string }>;
} = {}) => {
  const context = { ...lambdaContext, getRemainingTimeInMillis: () => remainingMs };
  const handler = createHandler(route, work, {
    authenticate: async () => ({
      userId,
      organizationId,
      role: "admin",
      sessionId: undefined,
      scope: `org:${organizationId}`,
    }),
    settings: { read: async () => defaultSettings },
    answerOnce: createAnswerOnce({
      openStorage: storage,
      now: () => now,
      newId: () => `request ${++ids}`,
    }),
  });
  return async (key?: string, body?: object | string, type = "application/json") => {
    const headers = { "content-type": type, ...(key !== undefined && { "idempotency-key": key }) };
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const event = httpEvent({ rawPath: "/letters", headers, ...(text !== undefined && { body: text }) });
    const { statusCode: status, body: answer = "", headers: sent } = await handler(event, context);
    return { status, body: JSON.parse(answer), text: answer, retryAfter: sent["retry-after"] };
  };
};

describe("a request with an Idempotency-Key", () => {
  it("gets its first answer again for a day, whatever its unknown fields, and has one effect", async () => {
    const post = instance();
    const first = await post("k", { text: "a" });
    expect(first).toMatchObject({ status: 202, body: { sent: expect.any(Number) } });
    now += DAY - 1;
    await expect(post("k", { text: "a", unknown: 1 })).resolves.toEqual(first);
    expect(letters.size).toBe(1);
    now += 1;
    expect((await post("k", { text: "a" })).body.id).not.toBe(first.body.id);
  });

  it("is the only one that needs the storage of answers", async () => {
    const broken = instance({ storage: () => Promise.reject(new DomainError("store_unavailable", "No.")) });
    expect(await broken(undefined, { text: "a" })).toMatchObject({ status: 202 });
    expect(await broken("k", { text: "a" })).toMatchObject({ status: 503, retryAfter: expect.any(String) });
  });

  it("is a new request of another user, whatever its body", async () => {
    const first = await instance()("k", { text: "a" });
    for (const text of ["a", "b"]) {
      const other = await instance({ userId: `bob ${text}` })("k", { text });
      expect(other.status).toBe(202);
      expect(other.body.id).not.toBe(first.body.id);
    }
    await expect(instance()("k", { text: "a" })).resolves.toEqual(first);
  });

  it("shows a secret in its first answer only, and repeats every digit of the rest", async () => {
    const post = instance({ work: async () => ({ id: "1", secret: "whsec_1", sent: 9_007_199_254_740_993n }) });
    expect((await post("k")).text).toBe('{"id":"1","sent":9007199254740993,"secret":"whsec_1"}');
    for (let i = 0; i < 2; i++) {
      expect(await post("k")).toMatchObject({ status: 202, text: '{"id":"1","sent":9007199254740993}' });
    }
  });

  it("shows a secret in one of its concurrent answers, which are alike otherwise", async () => {
    const work: Work<typeof route> = async ({ identity }) => ({ id: identity.id, sent: 1, secret: "whsec_1" });
    const answers = await Promise.all(Array.from({ length: 8 }, () => instance({ work })("k")));
    expect(answers.filter(({ body }) => body.secret === "whsec_1")).toHaveLength(1);
    const others = answers.map(({ status, body: { secret: _, ...body } }) => JSON.stringify({ status, body }));
    expect(new Set(others).size).toBe(1);
    expect(others[0]).toContain("202");
  });

  it("is refused with another body, and free in another organization", async () => {
    const post = instance();
    const first = await post("k", { text: "a" });
    await expect(post("k", { text: "b" })).resolves.toMatchObject({ status: 409, body: { error: 40905 } });
    organizationId += " two";
    expect((await post("k", { text: "b" })).body.id).not.toBe(first.body.id);
  });

  it("treats no body, {} and unknown fields as equal", async () => {
    const post = instance();
    const first = await post("k");
    for (const body of [{}, { other: true }, ""]) await expect(post("k", body)).resolves.toEqual(first);
  });

  it("has one effect and one answer, however many requests come at once", async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => instance()("k", { text: "a" })));
    expect(letters.size).toBe(1);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 202 });
  });

  it.each(["before its work", "after its effect", "after its answer was stored"])(
    "is completed by a repetition if its instance died %s",
    async (gap) => {
      const died = Promise.withResolvers<void>();
      const die = (): Promise<never> => {
        died.resolve();
        return new Promise(() => undefined);
      };
      const dying = instance({
        remainingMs: 200,
        work: (input) => (gap === "before its work" ? die() : send(input)),
        keys: {
          ...stored,
          async complete(...answer) {
            if (gap === "after its answer was stored") await stored.complete(...answer);
            return die();
          },
        },
      });
      const unanswered = dying("k", { text: "a" });
      await died.promise;
      const repeated = await instance()("k", { text: "a" });
      expect(repeated).toMatchObject({ status: 202, body: { id: [...letters.keys()][0] } });
      expect(letters.size).toBe(1);
      await expect(instance()("k", { text: "a" })).resolves.toEqual(repeated);
      await expect(unanswered).resolves.toMatchObject({ status: 503 });
    },
  );

  it("keeps its identity if its work failed, and frees the key if it was refused", async () => {
    const fail = (error: unknown) => instance({ work: () => Promise.reject(error) });
    const away = new DomainError("store_unavailable", "The store is away.");
    await expect(fail(away)("k", { text: "a" })).resolves.toMatchObject({ status: 503, retryAfter: "1" });
    await expect(fail(new Error("a bug"))("k", { text: "a" })).resolves.toMatchObject({ status: 500 });
    await expect(instance()("k", { text: "b" })).resolves.toMatchObject({ status: 409, body: { error: 40905 } });
    await expect(fail(new DomainError("circuit_open", "no"))("k", { text: "a" })).resolves.toMatchObject({
      status: 503,
    });
    await expect(instance()("k", { text: "b" })).resolves.toMatchObject({ status: 202 });
  });

  it("gets its answer although that could not be stored; the repetition has the same effect", async () => {
    const keys = {
      ...stored,
      complete: jest.fn<() => Promise<never>>().mockRejectedValue(new DomainError("store_unavailable", "no")),
    };
    const first = await instance({ keys })("k", { text: "a" });
    expect(first.status).toBe(202);
    expect((await instance()("k", { text: "a" })).body.id).toBe(first.body.id);
    expect(letters.size).toBe(1);
  });

  it("has one effect if the store loses the first answer to each call", async () => {
    const lossy = createIdempotencyStore(database.table("idempotencyKeys", database.clientAt(proxy.url)), SEALING_KEY);
    const first = await instance({ keys: lossy })("k", { text: "a" });
    await expect(instance({ keys: lossy })("k", { text: "a" })).resolves.toEqual(first);
    expect(letters.size).toBe(1);
  });

  it("has a stored answer that key and body do not open without the service's key", async () => {
    await instance()("k", { text: "a" });
    const withoutKey = instance({ sealingKey: "another key that seals, of 32 characters" });
    await expect(withoutKey("k", { text: "a" })).resolves.toMatchObject({ status: 500 });
  });

  it("is stored without its answer and its secret in clear", async () => {
    await instance({ work: async () => ({ id: "of bob", sent: 1, secret: "whsec_1" }) })("k", { text: "a" });
    const { Items = [] } = await database.client.send(new ScanCommand({ TableName: "idempotencyKeys" }));
    const own = Items.filter(({ scope }) => scope === `org:${organizationId}`);
    expect(own).toMatchObject([{ answer: expect.any(String), ttl: NOW / 1_000 + 86_400 }]);
    expect(JSON.stringify(own)).not.toMatch(/of bob|whsec|"k"/);
  });
});

describe("a request without an Idempotency-Key", () => {
  it("has a new identity each time", async () => {
    const post = instance();
    await post(undefined, { text: "a" });
    await post(undefined, { text: "a" });
    expect(letters.size).toBe(2);
  });
});

describe("the key", () => {
  it.each(["k", "0198a6c2-7d4e-7000-8000-000000000001", '"quoted"', "a,b", "~!{}", "x".repeat(255)])(
    "may be %j",
    async (key) => expect((await instance()(key)).status).toBe(202),
  );

  it.each(["", " ", "a b", "a\tb", "a\u0000b", "a\u007f", "ä", "x".repeat(256)])("may not be %j", async (key) => {
    await expect(instance()(key)).resolves.toMatchObject({
      status: 400,
      body: { error: 40002, message: "Idempotency-Key: expected 1 to 255 visible ASCII characters" },
    });
    expect(letters.size).toBe(0);
  });

  it("is checked after the body's type and size", async () => {
    expect((await instance()("ä", "{}", "text/plain")).status).toBe(415);
    expect((await instance()("ä", `"${"x".repeat(65_536)}"`)).status).toBe(413);
  });
});
