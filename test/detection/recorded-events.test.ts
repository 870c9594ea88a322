import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "@jest/globals";
import { type Listening, listen } from "../../infra/local/http/listen.ts";
import { createEvents } from "./events.ts";
import { readRecordedEvents, readRecordedFile } from "./recorded-events.ts";

const acme = createEvents("acme");
const events = Array.from({ length: 5 }, (_, index) => acme.call(1_000 * index, { user: "ada" }));

let server: Listening | undefined;
afterEach(() => {
  server?.close();
});

/** A server that is both issuer and API, with two events per page. `asked` has the requests. */
const startCloud = async () => {
  const asked: { url: string; token: string | undefined; body: string }[] = [];
  const cloud = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += String(part);
    const { url = "", headers } = request;
    asked.push({ url, token: headers.authorization, body });
    if (url === "/token") return response.end(JSON.stringify({ access_token: "t" }));
    const cursor = Number(new URL(url, "http://cloud").searchParams.get("cursor") ?? 0);
    const next = `</api/integrations/provider/security?limit=1000&cursor=${cursor + 2}>; rel="next"`;
    if (cursor + 2 < events.length) response.setHeader("link", next);
    return response.end(JSON.stringify({ events: events.slice(cursor, cursor + 2), stats: {} }));
  });
  server = await listen(cloud, 0);
  const { url } = server;
  return { asked, stack: { apiUrl: url, issuerUrl: url } };
};

describe("readRecordedEvents", () => {
  it("reads all pages as the organization's administrator", async () => {
    const { asked, stack } = await startCloud();
    const pages: number[] = [];
    expect(await readRecordedEvents(stack, "acme", -5, (count) => pages.push(count))).toEqual(events);
    expect(pages).toEqual([2, 4, 5]);
    expect(JSON.parse(asked[0]?.body ?? "")).toMatchObject({ organizationId: "acme", role: "admin" });
    expect(asked[1]).toMatchObject({
      url: "/api/integrations/provider/security?since=0&limit=1000",
      token: "Bearer t",
    });
  });

  it("fails with a clear message if the local cloud does not run", async () => {
    const nowhere = { apiUrl: "http://127.0.0.1:9", issuerUrl: "http://127.0.0.1:9" };
    await expect(readRecordedEvents(nowhere, "acme", 0, () => undefined)).rejects.toThrow("npm start");
  });
});

describe("readRecordedFile", () => {
  const directory = mkdtempSync(join(tmpdir(), "recorded-"));
  const write = (content: unknown) => {
    const path = join(directory, "events.json");
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  };
  afterAll(() => rmSync(directory, { recursive: true }));

  it("reads a list of events, and an answer of the API", () => {
    expect(readRecordedFile(write(events))).toEqual(events);
    expect(readRecordedFile(write({ events, stats: {} }))).toEqual(events);
  });

  it.each(["{", [{ id: 1 }], { alerts: [] }])("refuses %j", (content) => {
    expect(() => readRecordedFile(write(content))).toThrow("events.json");
  });

  it("refuses a file that does not exist", () => {
    expect(() => readRecordedFile(join(directory, "none.json"))).toThrow("cannot be read");
  });
});
