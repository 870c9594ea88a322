import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "@jest/globals";
import { createConsoleHandler } from "../../../shared/http/console-page.ts";
import { createDocsHandler } from "../../../shared/http/docs-page.ts";
import { createAssetHandler } from "../../../shared/http/page.ts";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import { httpEvent, lambdaContext } from "../../support/http-event.ts";
import { quietLog } from "../../support/quiet-log.ts";

quietLog();

const route = { method: "GET", path: "/page/{file}" } as const;

const locateClient = () => {
  throw new DomainError("not_through_cdn", "no");
};

describe("the page /docs", () => {
  const hintOf = async (issuer: string) => {
    const handler = createDocsHandler({ route, template: "<li>{{token}}</li>", issuer, audience: "<$&>" });
    const { body, headers } = await handler(httpEvent({ method: "GET" }), lambdaContext);
    return { body, policy: String(headers["content-security-policy"]) };
  };

  it("tells where to get a token", async () => {
    expect((await hintOf("http://127.0.0.1:4000")).body).toContain("npm run --silent token");
    expect((await hintOf("https://login.example.com/")).body).toBe(
      "<li>Get an access token of <code>https://login.example.com/</code> for the audience <code>&#60;$&#38;&#62;</code></li>",
    );
    expect((await hintOf("https://issuer.invalid")).body).toContain("trusts no issuer");
  });

  it("offers a token of ada in the local cloud only, where it may call the issuer", async () => {
    const local = await hintOf("http://127.0.0.1:4000");
    expect(local.body).toContain('id="as-ada" disabled data-issuer="http://127.0.0.1:4000"');
    expect(local.policy).toContain("connect-src 'self' http://127.0.0.1:4000;");
    for (const issuer of ["https://login.example.com/", "https://issuer.invalid"]) {
      const { body, policy } = await hintOf(issuer);
      expect(body).not.toContain("as-ada");
      expect(policy).toContain("connect-src 'self';");
    }
  });

  it("is refused to a request that does not come through the CDN", async () => {
    const options = { route, template: "", issuer: "https://a.example.com", audience: "a", locateClient };
    expect(await createDocsHandler(options)(httpEvent(), lambdaContext)).toMatchObject({ statusCode: 403 });
  });
});

describe("the page /console", () => {
  const settings = { issuer: "https://login.example.com/", clientId: `"'><script>$&`, scope: "openid", audience: null };
  const options = {
    route,
    template: "<head>{{settings}}</head>",
    settings,
    identityOrigins: async () => ["https://login.example.com", "https://tokens.example.com:8443"],
  };
  const answer = () => createConsoleHandler(options)(httpEvent({ method: "GET" }), lambdaContext);

  it("contains its settings as one attribute that no value can leave", async () => {
    const { body = "" } = await answer();
    const [, content = ""] = /^<head><meta name="console" content="([^"<>]*)" \/><\/head>$/.exec(body) ?? [];
    expect(JSON.parse(content.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code)))).toEqual(settings);
  });

  it("may load and run only its own files, and call only the API and the issuer", async () => {
    const { headers } = await answer();
    expect(headers["content-security-policy"]?.split("; ")).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self' https://login.example.com https://tokens.example.com:8443",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "content-type": "text/html; charset=utf-8",
      "cross-origin-opener-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    });
    expect(headers["permissions-policy"]).toMatch(/^(?:[a-z-]+=\(\)(?:, |$))+$/);
  });

  it("is refused to a request that does not come through the CDN", async () => {
    const handler = createConsoleHandler({ ...options, locateClient });
    expect(await handler(httpEvent(), lambdaContext)).toMatchObject({ statusCode: 403 });
  });
});

describe("a page", () => {
  it.each([
    ["https", "max-age=31536000"],
    ["http", undefined],
  ])("over %s has the header strict-transport-security %s", async (scheme, expected) => {
    const event = httpEvent({ method: "GET", headers: { "x-forwarded-proto": scheme } });
    const docs = createDocsHandler({ route, template: "", issuer: "https://a.example.com", audience: "a" });
    const page = createConsoleHandler({
      route,
      template: "",
      settings: { issuer: "https://a.example.com", clientId: null, scope: "openid", audience: null },
      identityOrigins: async () => [],
    });
    for (const handler of [docs, page]) {
      const { headers } = await handler(event, lambdaContext);
      expect(headers["strict-transport-security"]).toBe(expected);
    }
  });
});

describe("an asset", () => {
  const handler = createAssetHandler({
    route,
    assets: new Map([
      ["a.1.js.gz", gzipSync("code")],
      ["b.1.css.gz", gzipSync("style")],
      ["b.1.css.br", brotliCompressSync("style")],
      ["c.1.exe.gz", gzipSync("unknown")],
    ]),
  });
  const answer = (file: string, headers: Record<string, string> = {}) =>
    handler(httpEvent({ method: "GET", rawPath: `/page/${file}`, headers, pathParameters: { file } }), lambdaContext);

  it.each<[accept: string, gzipOnly?: "gzip" | "br" | undefined, both?: "gzip" | "br" | undefined]>([
    ["gzip, deflate, br", "gzip", "br"],
    ["br;q=1.0, gzip;q=0.5", "gzip", "br"],
    ["GZIP", "gzip", "gzip"],
    ["x-gzip", "gzip", "gzip"],
    ["br;q=0, gzip", "gzip", "gzip"],
    ["gzip;q=0", undefined, undefined],
    ["gzip; q=0.000", undefined, undefined],
    ["br", undefined, "br"],
    ["gzipped, brr", undefined, undefined],
    ["", undefined, undefined],
  ])("for a browser that accepts %j is encoded as %s, or as %s if both exist", async (accept, gzipOnly, both) => {
    for (const [file, coding, text] of [
      ["a.1.js", gzipOnly, "code"],
      ["b.1.css", both, "style"],
    ] as const) {
      const { headers, body = "", isBase64Encoded } = await answer(file, { "accept-encoding": accept });
      expect([headers["content-encoding"], isBase64Encoded, headers.vary]).toEqual([coding, true, "accept-encoding"]);
      const bytes = Buffer.from(body, "base64");
      const decoded = { br: brotliDecompressSync, gzip: gunzipSync, none: (plain: Buffer) => plain };
      expect(decoded[coding ?? "none"](bytes).toString()).toBe(text);
    }
  });

  it("may be kept for good and never checked again", async () => {
    expect((await answer("b.1.css")).headers).toMatchObject({
      "cache-control": "public, max-age=31536000, immutable",
      "content-type": "text/css; charset=utf-8",
    });
  });

  it.each(["b.js", "a.1.js.gz", "c.1.exe", ""])("of the unknown name %j is 404", async (file) => {
    expect(await answer(file)).toMatchObject({ statusCode: 404 });
  });
});
