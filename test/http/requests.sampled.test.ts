import { describe, expect, it } from "@jest/globals";
import { deepIt } from "../support/deep-it.ts";
import { useService } from "../support/use-service.ts";

const service = await useService();
const token = await service.mint({ organizationId: "acme" });

describe("any request", () => {
  it("has the common headers in its answer, and none that names the software", async () => {
    for (const { headers } of [
      await service.request("GET", "/plants", { token }),
      await service.request("GET", "/plants"),
      await service.request("GET", "/nowhere"),
      await service.request("GET", "/openapi.json"),
    ]) {
      expect(headers.get("x-request-id")).toMatch(/./);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("server") ?? headers.get("x-powered-by")).toBeNull();
    }
  });

  it("has a large answer compressed if the client accepts it", async () => {
    const answer = (accept: string) =>
      fetch(`${service.stack.apiUrl}/openapi.json`, { headers: { "accept-encoding": accept } });
    const [compressed, plain] = [await answer("gzip"), await answer("identity")];
    expect(compressed.headers.get("content-encoding")).toBe("gzip");
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(await compressed.json()).toEqual(await plain.json());
  });

  it("is logged with the request id of its answer", async () => {
    const { headers } = await service.request("GET", "/plants", { token });
    expect(service.logged()).toContain(`"requestId":"${headers.get("x-request-id")}"`);
  });

  it.each([
    ["GET", "/nowhere", 404, 40402],
    ["GET", "/", 404, 40402],
    ["GET", "/plants/", 404, 40402],
    ["GET", "/plants/1/leaves", 404, 40402],
    ["PUT", "/plants", 405, 40501],
    ["PATCH", "/plants/1", 405, 40501],
    ["GET", "/plants/1", 405, 40501],
    ["POST", "/openapi.json", 405, 40501],
    ["PUT", "/api/integrations/provider/notifications/link", 405, 40501],
    ["POST", "/console", 405, 40501],
    ["POST", "/console/alerts/1", 405, 40501],
    ["DELETE", "/console/assets/main.js", 405, 40501],
  ])("%s %s is %i, with a token or without", async (method, path, status, error) => {
    for (const bearer of [token, undefined, "bad"]) {
      expect(await service.request(method, path, { token: bearer })).toMatchObject({ status, body: { error } });
    }
  });

  deepIt(
    "of a link to a report that does not exist, or of a made-up link, is 404 for a caller and for a browser; without a key 401",
    async () => {
      const path = "/api/integrations/provider/reports/compliance-1999-01-01";
      const link = await service.request("POST", `${path}/link`, { token, headers: { "idempotency-key": "one" } });
      expect(link).toMatchObject({ status: 404, body: { error: 40403 } });
      const opened = await service.request("GET", `${path}/page?key=made-up`, { headers: { accept: "text/html" } });
      expect(opened).toMatchObject({ status: 404, body: { error: 40406 } });
      const bare = await service.request("GET", `${path}/page`, { headers: { accept: "text/html" } });
      expect(bare).toMatchObject({ status: 401, body: { error: 40101, message: expect.stringContaining("key") } });
      expect(service.denials).toEqual([]);
    },
  );

  deepIt.each(["notifications/%/deliveries", "security/exports/%"])(
    "of what cannot be an id is 404 like one of an unknown id: %s",
    async (template) => {
      const answers = ["01JZZZZZZZZZZZZZZZZZZZZZZZ", "x".repeat(1_100), "a%00b"].map(async (id) => {
        const path = `/api/integrations/provider/${template.replace("%", id)}`;
        const { status, body } = await service.request("GET", path, { token });
        return { status, body };
      });
      const [unknown, ...others] = await Promise.all(answers);
      expect(unknown).toMatchObject({ status: 404 });
      expect(others).toEqual([unknown, unknown]);
    },
  );

  it("with a wrong method gets the allowed ones", async () => {
    expect((await service.request("PUT", "/plants")).headers.get("allow")).toBe("POST, GET");
    expect((await service.request("GET", "/plants/1")).headers.get("allow")).toBe("DELETE");
    for (const method of ["PUT", "DELETE", "PATCH"]) {
      const { headers } = await service.request(method, "/api/integrations/provider/notifications/link");
      expect(headers.get("allow")).toBe("GET, POST");
    }
    expect((await service.request("POST", "/console/assets/main.js")).headers.get("allow")).toBe("GET");
  });
});

describe("the console", () => {
  const open = (path: string, headers: Record<string, string> = {}) =>
    fetch(new URL(path, service.stack.apiUrl), { headers });

  it("is the same page at its address and at every path below, with a policy that names the issuer", async () => {
    const page = await open("/console?code=planted-code&state=planted-state");
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    expect(page.headers.get("content-security-policy")).toContain(`connect-src 'self' ${service.stack.issuerUrl};`);
    const text = await page.text();
    expect(text).toContain("&#34;clientId&#34;:&#34;console&#34;");
    expect(text).not.toMatch(/<script>|<style|\sstyle=|\son\w+=|\{\{/);
    expect(await (await open("/console/alerts/01H?level=high")).text()).toBe(text);
    expect(service.logged()).not.toMatch(/planted-(?:code|state)/);
  });

  it("has assets that browsers keep for good, compressed, and an Error body for any other name", async () => {
    const text = await (await open("/console")).text();
    const addresses = [...text.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map(([, address = ""]) => address);
    expect(addresses.length).toBeGreaterThanOrEqual(2);
    for (const address of addresses) {
      const asset = await open(address, { "accept-encoding": "gzip" });
      expect([asset.status, asset.headers.get("content-encoding")]).toEqual([200, "gzip"]);
      expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(asset.headers.get("content-type")).toMatch(/^text\/(?:javascript|css); charset=utf-8$/);
      expect((await asset.text()).length).toBeGreaterThan(0);
    }
    const missing = await open("/console/assets/main.00000000.js");
    expect([missing.status, await missing.json()]).toEqual([404, { error: 40402, message: expect.any(String) }]);
  });
});

describe("a body", () => {
  const post = (body: string | Uint8Array<ArrayBuffer>, contentType = "application/json") =>
    service.request("POST", "/plants", { token, body, contentType });

  it("may have at most 64 KiB", async () => {
    const sized = (bytes: number) => `{"id":1,"name":"x"}`.padEnd(bytes, " ");
    expect((await post(sized(65_536))).status).toBe(200);
    expect(await post(sized(65_537))).toMatchObject({ status: 413, body: { error: 41301 } });
    expect(await post(sized(65_537), "text/plain")).toMatchObject({ status: 413 });
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16"])(
    "of type %s is refused",
    async (contentType) => {
      expect(await post('{"id":2,"name":"x"}', contentType)).toMatchObject({ status: 415, body: { error: 41501 } });
    },
  );

  it("must be JSON in well-formed Unicode; a refusal does not repeat it", async () => {
    const card = '{"card":"4111 1111 1111 1111';
    for (const body of [
      card,
      "",
      " ",
      "{]",
      '{"id":3,"name":"\\ud800"}',
      "\uFEFF{}",
      new Uint8Array([0x22, 0xff, 0x22]),
    ]) {
      const refused = await post(body);
      expect(refused.status).toBe(400);
      expect(refused.text).not.toContain("4111");
    }
    expect(service.logged()).not.toContain("4111");
  });
});

describe("GET /docs", () => {
  const get = (path: string, headers = {}) => fetch(`${service.stack.apiUrl}${path}`, { headers });
  const assetsOf = async (response: Response) =>
    [...(await response.text()).matchAll(/"docs(\/[^"]+)"/g)].map(([, path]) => path);

  it("is a page without inline code that may use nothing but the API and the local issuer, and is never cached or framed", async () => {
    const page = await get("/docs");
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
    const policy = page.headers.get("content-security-policy");
    expect(policy).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
    const { issuerUrl } = service.stack;
    expect(policy?.replace(` ${issuerUrl};`, ";")).not.toMatch(/unsafe|https?:|\*/);
    const text = await page.text();
    expect(text).toContain("npm run --silent token");
    expect(text.replace(`"${issuerUrl}"`, "")).not.toMatch(/<script>|<style|style=|https?:|\{\{/);
  });

  it("has compressed assets that a browser keeps for good", async () => {
    const assets = await assetsOf(await get("/docs"));
    expect(assets).toHaveLength(4);
    for (const asset of assets) {
      const compressed = await get(`/docs${asset}`);
      expect([compressed.status, compressed.headers.get("content-encoding")]).toEqual([200, "gzip"]);
      expect(compressed.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(compressed.headers.get("content-type")).toMatch(/^text\/(javascript|css); charset=utf-8$/);
      const plain = await get(`/docs${asset}`, { "accept-encoding": "identity" });
      expect([plain.status, plain.headers.get("content-encoding")]).toEqual([200, null]);
      expect(await plain.text()).toBe(await compressed.text());
    }
  });

  it.each(["nothing.js", "LICENSE.txt", "index.mjs", "..%2Findex.mjs", "start.js"])("has no asset %s", async (file) => {
    expect(await (await get(`/docs/${file}`)).json()).toMatchObject({ error: 40402 });
  });

  it("supports no other method", async () => {
    expect(await service.request("POST", "/docs")).toMatchObject({ status: 405, body: { error: 40501 } });
  });
});

describe("GET /openapi.json", () => {
  it("needs no token and describes the service's answers", async () => {
    const { status, body } = await service.request("GET", "/openapi.json");
    expect(status).toBe(200);
    expect(body).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./), info: { version: "1.0.0" } });
  });
});
