import { createServer, type RequestListener } from "node:http";
import { afterEach, describe, expect, it } from "@jest/globals";
import { type Listening, listen } from "../../../infra/local/http/listen.ts";
import { discoveryUrl, fetchDocument } from "../../../shared/http/discovery.ts";

let server: Listening;
const serve = async (answer: RequestListener): Promise<URL> => {
  server = await listen(createServer(answer), 0);
  return new URL(`${server.url}/keys`);
};
afterEach(() => server.close());

describe("fetchDocument", () => {
  it("returns the bytes of the answer", async () => {
    const url = await serve((_request, response) => void response.end("{}"));
    expect(new TextDecoder().decode(await fetchDocument(url, 1_000))).toBe("{}");
  });

  it("retries once if the connection breaks", async () => {
    let attempts = 0;
    const url = await serve((request, response) => {
      attempts++;
      if (attempts === 1) request.socket.destroy();
      else response.end("{}");
    });
    expect((await fetchDocument(url, 1_000)).byteLength).toBe(2);
    expect(attempts).toBe(2);
  });

  it("accepts only status 200, and does not retry other statuses", async () => {
    let attempts = 0;
    const url = await serve((_request, response) => {
      attempts++;
      response.writeHead(302, { location: "https://elsewhere.invalid" }).end("{}");
    });
    await expect(fetchDocument(url, 1_000)).rejects.toThrow(/answered with status 302/);
    expect(attempts).toBe(1);
  });

  it("times out if the answer never comes or never ends", async () => {
    const url = await serve((_request, response) => void response.write("{"));
    await expect(fetchDocument(url, 50)).rejects.toThrow();
  });

  it("accepts an answer of 262,144 bytes, and no more", async () => {
    let bytes = 262_144;
    const url = await serve((_request, response) => void response.end(Buffer.alloc(bytes)));
    expect((await fetchDocument(url, 5_000)).byteLength).toBe(bytes);
    bytes++;
    await expect(fetchDocument(url, 5_000)).rejects.toThrow(/more than 262144 bytes/);
  });

  it.each(["resetAndDestroy", "destroy"] as const)("fails soon if both answers break off by %s", async (end) => {
    let attempts = 0;
    const url = await serve((_request, response) => {
      attempts++;
      response.writeHead(200, { "content-length": "10" });
      response.write("{", () => response.socket?.[end]());
    });
    await expect(fetchDocument(url, 60_000)).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(attempts).toBe(2);
  });

  it("limits the size of the answer", async () => {
    const url = await serve((_request, response) => {
      const pour = () => {
        while (response.write(Buffer.alloc(64 * 1024))) if (response.destroyed) return;
        response.once("drain", pour);
      };
      pour();
    });
    await expect(fetchDocument(url, 5_000)).rejects.toThrow(/more than 262144 bytes/);
  });
});

it.each([
  ["https://id.example/tenant", "https://id.example/tenant/.well-known/openid-configuration"],
  ["https://id.example/tenant/", "https://id.example/tenant/.well-known/openid-configuration"],
])("the discovery document of %s is at %s", (address, expected) => {
  expect(discoveryUrl(address)).toBe(expected);
});
