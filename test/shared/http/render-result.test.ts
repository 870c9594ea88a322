import { describe, expect, it } from "@jest/globals";
import * as z from "zod/mini";
import { createCursors } from "../../../shared/http/cursor.ts";
import { PAGE, sizeOf } from "../../../shared/http/fit-list.ts";
import { createResultRenderer } from "../../../shared/http/render-result.ts";
import { defineRoute } from "../../../shared/http/route.ts";
import { httpEvent } from "../../support/http-event.ts";

const about = { method: "GET", path: "/things", permission: "plants:read", tag: "plants" } as const;
const texts = { summary: "", description: "" };
const shared = { ...about, ...texts, request: {}, failures: [] };
const cursors = createCursors("a secret of at least 32 characters");
const request = { binding: { scope: "org:acme", query: "things" }, sentQuery: { color: "red & green" } };
const event = httpEvent({ method: "GET", rawPath: "/thïngs" });

describe("a result", () => {
  it("without a schema has no body", async () => {
    const route = defineRoute({ ...shared, success: { status: 204, description: "" } });
    const response = await createResultRenderer(route, undefined)(event, request, undefined);
    expect(response.statusCode).toBe(204);
    expect(response).not.toHaveProperty("body");
  });

  it("has the fields of the schema, and does not vary by Accept", async () => {
    const success = { status: 200, description: "", body: z.object({ id: z.number() }) } as const;
    const route = defineRoute({ ...shared, success });
    const response = await createResultRenderer(route, undefined)(
      event,
      request,
      Object.assign({ id: 1 }, { secret: 2 }),
    );
    expect(response.body).toBe('{"id":1}');
    expect(response.headers).not.toHaveProperty("vary");
  });

  it("with a field html is JSON unless the route answers HTML", async () => {
    const body = z.object({ html: z.string() });
    const plain = defineRoute({ ...shared, success: { status: 200, description: "", body } });
    const response = await createResultRenderer(plain, undefined)(event, request, { html: "<p>" });
    expect(response.headers["content-type"]).toBe("application/json");
  });
});

describe("a route that answers HTML as well", () => {
  const success = { status: 200, description: "", body: z.unknown(), html: true } as const;
  const route = defineRoute({ ...shared, success });
  const render = createResultRenderer(route, undefined);
  it.each([
    [{ html: "<p>" }, "text/html; charset=utf-8", "<p>"],
    [{ html: 7 }, "application/json", '{"html":7}'],
    [{ id: 1 }, "application/json", '{"id":1}'],
    [null, "application/json", "null"],
    ["html", "application/json", '"html"'],
  ])("answers %j as %s", async (result, type, body) => {
    const response = await render(event, request, result);
    expect(response).toMatchObject({ statusCode: 200, body, headers: { "content-type": type, vary: "Accept" } });
  });
});

describe("a page", () => {
  const Thing = z.object({ id: z.string(), name: z.string() });
  const paging = { defaultLimit: 10, maxLimit: 10, position: z.object({ id: z.string() }) };
  const list = defineRoute({ ...shared, paging, success: { status: 200, description: "", body: z.array(Thing) } });
  const framed = defineRoute({
    ...shared,
    paging: { ...paging, field: "things" },
    success: {
      status: 200,
      description: "",
      body: z.object({ others: z.array(z.string()), note: z.optional(z.string()), things: z.array(Thing) }),
    },
  });

  it("links to the next one with the sent query and an encoded path", async () => {
    const items = [{ id: "1", name: "a" }];
    const last = await createResultRenderer(list, async () => cursors)(event, request, { items, next: undefined });
    expect(last).toMatchObject({ statusCode: 200, body: JSON.stringify(items) });
    expect(last.headers).not.toHaveProperty("link");
    const { headers } = await createResultRenderer(list, async () => cursors)(event, request, {
      items,
      next: { id: "1" },
    });
    const [, path, query] = /^<([^?]+)\?([^>]+)>; rel="next"$/.exec(headers.link ?? "") ?? [];
    const sent = new URLSearchParams(query);
    expect([path, sent.get("color")]).toEqual(["/th%C3%AFngs", "red & green"]);
    expect(cursors.open(request.binding, paging.position, sent.get("cursor") ?? "")).toEqual({ id: "1" });
  });

  it("leaves undefined fields out, and has the paged list last", async () => {
    const render = createResultRenderer(framed, async () => cursors);
    const things = [{ id: "1", name: "a" }];
    const result = { others: ["x"], note: undefined, things, next: undefined };
    expect((await render(event, request, result)).body).toBe('{"others":["x"],"things":[{"id":"1","name":"a"}]}');
    expect((await render(event, request, { ...result, note: "n" })).body).toBe(
      '{"others":["x"],"note":"n","things":[{"id":"1","name":"a"}]}',
    );
  });

  it("names its cursor in a header and, if the body is an object, in the body, which then still fits", async () => {
    const items = ["1", "2", "3"].map((id) => ({ id, name: "x".repeat(PAGE.bytes / 2 - 1_100) }));
    const asBody = await createResultRenderer(list, async () => cursors)(event, request, { items, next: undefined });
    expect(asBody.headers["x-next-cursor"]).toBe(/cursor=([^>&]+)/.exec(asBody.headers.link ?? "")?.[1]);
    const inObject = await createResultRenderer(framed, async () => cursors)(event, request, {
      others: [],
      note: undefined,
      next: undefined,
      things: items,
    });
    const { things, nextCursor } = JSON.parse(inObject.body ?? "") as { things: unknown[]; nextCursor: string };
    expect([things.length, nextCursor]).toEqual([2, inObject.headers["x-next-cursor"]]);
    expect(sizeOf(inObject.body ?? "").bytes).toBeLessThanOrEqual(PAGE.bytes);
  });

  it("names no cursor if it is the last one", async () => {
    const last = { others: [], note: undefined, things: [], next: undefined };
    const { headers, body } = await createResultRenderer(framed, async () => cursors)(event, request, last);
    expect([headers.link, headers["x-next-cursor"], body]).toEqual([undefined, undefined, '{"others":[],"things":[]}']);
  });

  it("gives another list exactly a quarter of its room", async () => {
    const render = createResultRenderer(framed, async () => cursors);
    const lengthOfOthers = async (character: string, length: number): Promise<number> => {
      const others = [character.repeat(length), "last"];
      const { body } = await render(event, request, { others, things: [], next: undefined });
      return (JSON.parse(body ?? "") as { others: unknown[] }).others.length;
    };
    const frame = sizeOf(JSON.stringify(["", "last"]));
    const room = PAGE.bytes / 4 - frame.bytes;
    expect([await lengthOfOthers("a", room), await lengthOfOthers("a", room + 1)]).toEqual([2, 1]);
    // A backslash is two bytes of the body and four of the function's result.
    const escaped = Math.floor((PAGE.escapedBytes / 4 - frame.escapedBytes) / 4);
    expect([await lengthOfOthers("\\", escaped), await lengthOfOthers("\\", escaped + 1)]).toEqual([2, 1]);
  });

  it("ends at the item that no longer fits, and the next one begins after the last item", async () => {
    const items = ["1", "2", "3"].map((id) => ({ id, name: "x".repeat(PAGE.bytes / 2 - 40) }));
    const response = await createResultRenderer(list, async () => cursors)(event, request, { items, next: undefined });
    expect(JSON.parse(response.body ?? "")).toHaveLength(2);
    const cursor = /cursor=([^>&]+)/.exec(response.headers.link ?? "")?.[1] ?? "";
    expect(cursors.open(request.binding, paging.position, cursor)).toEqual({ id: "2" });
  });
});
