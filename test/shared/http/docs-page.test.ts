import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "@jest/globals";
import { createDocsAssetHandler, createDocsHandler } from "../../../shared/http/docs-page.ts";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import { httpEvent, lambdaContext } from "../../support/http-event.ts";
import { quietLog } from "../../support/quiet-log.ts";

quietLog();

const event = (headers: Record<string, string> = {}, file = "a.1.js") =>
  httpEvent({ method: "GET", rawPath: `/docs/${file}`, headers, pathParameters: { file } });

describe("the page of a deployment", () => {
  const hintOf = async (issuer: string) => {
    const handler = createDocsHandler({ template: "<li>{{token}}</li>", issuer, audience: "<$&>" });
    return (await handler(httpEvent({ method: "GET" }), lambdaContext)).body;
  };

  it("tells where to get a token", async () => {
    expect(await hintOf("http://127.0.0.1:4000")).toContain("npm run --silent token");
    expect(await hintOf("https://login.example.com/")).toBe(
      "<li>Get an access token of <code>https://login.example.com/</code> for the audience <code>&#60;$&#38;&#62;</code></li>",
    );
    expect(await hintOf("https://issuer.invalid")).toContain("trusts no issuer");
  });

  it("is refused to a request that does not come through the CDN", async () => {
    const locateClient = () => {
      throw new DomainError("not_through_cdn", "no");
    };
    const options = { template: "", issuer: "https://a.example.com", audience: "a", locateClient };
    expect(await createDocsHandler(options)(httpEvent(), lambdaContext)).toMatchObject({ statusCode: 403 });
  });
});

describe("an asset", () => {
  const handler = createDocsAssetHandler({ assets: new Map([["a.1.js", gzipSync("code")]]) });

  it.each([
    ["gzip, deflate, br", "gzip"],
    ["br;q=1.0, gzip;q=0.5", "gzip"],
    ["x-gzip", "gzip"],
    ["gzip;q=0", undefined],
    ["gzip; q=0.000", undefined],
    ["br", undefined],
    ["gzipped", undefined],
  ])("for a browser that accepts %s has the encoding %s", async (accept, encoding) => {
    const { headers, body = "", isBase64Encoded } = await handler(event({ "accept-encoding": accept }), lambdaContext);
    expect([headers["content-encoding"], isBase64Encoded, headers.vary]).toEqual([encoding, true, "accept-encoding"]);
    const bytes = Buffer.from(body, "base64");
    expect((encoding === undefined ? bytes : gunzipSync(bytes)).toString()).toBe("code");
  });

  it("of another name is 404", async () => {
    expect(await handler(event({}, "b.js"), lambdaContext)).toMatchObject({ statusCode: 404 });
  });
});
