import { describe, expect, it } from "@jest/globals";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import * as z from "zod/mini";
import { MAX_RESPONSE_BYTES } from "../../../infra/local/lambda/function-error.ts";
import { createCursors } from "../../../shared/http/cursor.ts";
import { fitList, MAX_PAGE_BYTES, PAGE, sizeOf } from "../../../shared/http/fit-list.ts";
import { createResultRenderer } from "../../../shared/http/render-result.ts";
import { defineRoute } from "../../../shared/http/route.ts";
import { httpEvent } from "../../support/http-event.ts";

/** A character of each width in UTF-8, and those that JSON escapes: the body once, the function's result again. */
const CHARACTERS = {
  a: "a",
  é: "é",
  "€": "€",
  "🌱": "🌱",
  quote: '"',
  backslash: "\\",
  newline: "\n",
  control: "\u0001",
};

const cursors = createCursors("a secret of at least 32 characters");
const Thing = z.object({ id: z.number(), name: z.string() });
const list = defineRoute({
  method: "GET",
  path: "/things",
  permission: "plants:read",
  tag: "plants",
  summary: "",
  description: "",
  request: {},
  paging: { defaultLimit: 10_000, maxLimit: 10_000, position: z.object({ id: z.number() }) },
  success: { status: 200, description: "", body: z.array(Thing) },
  failures: [],
});
const framed = defineRoute({
  ...list,
  paging: { ...list.paging, field: "things" },
  success: { ...list.success, body: z.object({ highRisk: z.array(Thing), note: z.string(), things: z.array(Thing) }) },
});

/** As long as a request's query can be: the link to the next page repeats it. */
const sentQuery = { filter: "🌵".repeat(850) };
const request = { binding: { scope: "org:acme", query: JSON.stringify(sentQuery) }, sentQuery };
const event: APIGatewayProxyEventV2 = httpEvent({ rawPath: "/things" });

const thingsOf = (character: string, count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => ({ id: from + i, name: character.repeat(256) }));

/** What Lambda counts. */
const resultBytes = (response: unknown): number => Buffer.byteLength(JSON.stringify(response));

describe.each(Object.entries(CHARACTERS))("a page of names of the character %s", (_, character) => {
  it("ends before 4 MB and below Lambda's limit, and as late as both allow", async () => {
    const render = createResultRenderer(list, async () => cursors);
    const items = thingsOf(character, 10_000);
    const response = await render(event, request, { items, next: undefined });
    const body = response.body ?? "";
    const shown = JSON.parse(body) as unknown[];
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_PAGE_BYTES);
    expect(resultBytes(response)).toBeLessThanOrEqual(MAX_RESPONSE_BYTES);
    const { bytes, escapedBytes } = sizeOf(`${body},${JSON.stringify(items[0])}`);
    const isFull = bytes > PAGE.bytes - 10 || escapedBytes > PAGE.escapedBytes - 20;
    expect(isFull).toBe(shown.length < items.length);
    expect(response.headers.link !== undefined).toBe(isFull);
  });
});

describe("a page with other lists beside it", () => {
  it.each([CHARACTERS.quote, CHARACTERS["🌱"]])("shares its room with them: %s", async (character) => {
    const render = createResultRenderer(framed, async () => cursors);
    const [highRisk, things] = [thingsOf(character, 10_000), thingsOf(character, 10_000)];
    const response = await render(event, request, { highRisk, note: character, things, next: undefined });
    const body = JSON.parse(response.body ?? "") as Record<"highRisk" | "things", unknown[]>;
    expect(Buffer.byteLength(response.body ?? "")).toBeLessThanOrEqual(MAX_PAGE_BYTES);
    expect(resultBytes(response)).toBeLessThanOrEqual(MAX_RESPONSE_BYTES);
    expect(body.highRisk).toEqual(highRisk.slice(0, body.highRisk.length));
    expect(body.things.length).toBeGreaterThanOrEqual(2 * body.highRisk.length);
  });
});

describe("the limits of a page", () => {
  it("are the decided size, and Lambda's less the room of the headers", () => {
    expect(PAGE).toEqual({ bytes: 4_000_000, escapedBytes: MAX_RESPONSE_BYTES - 65_536 });
    expect(MAX_PAGE_BYTES).toBe(4_000_000);
  });
});

describe("a list that must fit", () => {
  it("has all its items on its pages, each once, in their order", () => {
    const items = Object.values(CHARACTERS).flatMap((character, i) => thingsOf(character, 300, 300 * i));
    const shown: unknown[] = [];
    let pages = 0;
    while (shown.length < items.length) {
      const { text, end } = fitList(items.slice(shown.length), { bytes: 40_000, escapedBytes: 60_000 });
      const size = sizeOf(text);
      expect([size.bytes <= 40_000, size.escapedBytes <= 60_000, end > 0]).toEqual([true, true, true]);
      shown.push(...(JSON.parse(text) as unknown[]));
      pages++;
    }
    expect(shown).toEqual(items);
    expect(pages).toBeGreaterThan(20);
  });

  it("fits exactly, or loses its last item", () => {
    const items = ["a", 'b"', "ü"];
    const exact = sizeOf(JSON.stringify(items));
    expect(fitList(items, exact)).toEqual({ text: JSON.stringify(items), end: 3 });
    expect(fitList(items, { ...exact, bytes: exact.bytes - 1 }).end).toBe(2);
    expect(fitList(items, { ...exact, escapedBytes: exact.escapedBytes - 1 }).end).toBe(2);
    expect(fitList([], { bytes: 0, escapedBytes: 0 })).toEqual({ text: "[]", end: 0 });
  });

  it("is empty if its first item does not fit, unless it must have one", () => {
    const room = { bytes: 5, escapedBytes: 5 };
    expect(fitList(["long text", "b"], room)).toEqual({ text: "[]", end: 0 });
    expect(fitList(["long text", "b"], room, 1)).toEqual({ text: '["long text"]', end: 1 });
    expect(fitList(["long text", "long text", "b"], room, 2).end).toBe(2);
    expect(fitList(["long text", "b"], { bytes: 5, escapedBytes: 1_000 }, 1).end).toBe(1);
  });
});
