import { createHash } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import * as z from "zod/mini";
import { createClientLocator } from "../../../shared/http/client-address.ts";
import { createHandler } from "../../../shared/http/create-handler.ts";
import { defineRoute } from "../../../shared/http/route.ts";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import { httpEvent, lambdaContext } from "../../support/http-event.ts";
import { quietLog } from "../../support/quiet-log.ts";

quietLog();

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const [OLD, NEW] = ["an-old-secret", "a-new-secret"];

const locate = (headers: Record<string, string>, addressHeader = "x-client-address") =>
  createClientLocator({
    addressHeader,
    secretHeader: "x-origin-secret",
    secretHashes: [sha256(OLD), sha256(NEW)],
  })(httpEvent({ headers })).requestContext.http.sourceIp;

const refused = expect.objectContaining({ code: "not_through_cdn" });
const refusalOf = (headers: Record<string, string>): unknown => {
  try {
    return locate(headers);
  } catch (error) {
    return error;
  }
};

describe("the client's address behind a CDN", () => {
  it("is the header's beside either secret, so that the secret can be rotated", () => {
    for (const secret of [OLD, NEW])
      expect(locate({ "x-origin-secret": secret, "x-client-address": "203.0.113.7" })).toBe("203.0.113.7");
  });

  it.each([
    ["no secret", {}],
    ["an empty secret", { "x-origin-secret": "" }],
    ["another secret", { "x-origin-secret": "guessed" }],
    ["the secret's hash", { "x-origin-secret": sha256(OLD) }],
    ["the secret twice", { "x-origin-secret": `${OLD},${OLD}` }],
    ["the beginning of the secret", { "x-origin-secret": OLD.slice(0, -1) }],
  ])("is not taken from a request with %s, which is refused", (_what, headers) => {
    expect(refusalOf({ "x-client-address": "203.0.113.7", ...headers })).toEqual(refused);
  });

  it.each([
    ["nothing", undefined],
    ["an empty value", ""],
    ["a list, to which the CDN appended", "10.0.0.1,203.0.113.7"],
    ["a name", "localhost"],
    ["a network", "203.0.113.0/24"],
    ["an address with a port", "203.0.113.7:4711"],
    ["an address with a zone", "fe80::1%eth0"],
  ])("is not %s: the request is refused", (_what, address) => {
    expect(
      refusalOf({ "x-origin-secret": NEW, ...(address !== undefined && { "x-client-address": address }) }),
    ).toEqual(refused);
  });

  it("may be an IPv6 address", () => {
    expect(locate({ "x-origin-secret": NEW, "x-client-address": "2001:DB8::7" })).toBe("2001:db8::7");
  });

  it.each([
    ["198.51.100.10:46532", "198.51.100.10"],
    ["2001:db8::7:4653", "2001:db8::7"],
    ["2001:db8:0:0:0:0:0:7:46532", "2001:db8:0:0:0:0:0:7"],
  ])("is the address of CloudFront's header %s without the port", (value, address) => {
    const name = "cloudfront-viewer-address";
    expect(locate({ "x-origin-secret": NEW, [name]: value }, name)).toBe(address);
  });

  it("is what the handler's work and its refusals see; a direct request reaches neither", async () => {
    const seen: (string | undefined)[] = [];
    const handler = createHandler(
      defineRoute({
        permission: "plants:write",
        tag: "plants",
        summary: "",
        description: "",
        method: "GET",
        path: "/things",
        request: {},
        success: { status: 200, description: "", body: z.object({}) },
        failures: [],
      }),
      async ({ origin, address }) => {
        seen.push(origin.ipAddress, address);
        throw new Error("stop here");
      },
      {
        authenticate: async (token) => {
          if (token === undefined) throw new DomainError("invalid_token", "The token is not valid.");
          return { userId: "ada", organizationId: "acme", role: "admin", sessionId: undefined, scope: "org:acme" };
        },
        recordRefusal: async ({ event }) => void seen.push(`refused ${event.requestContext.http.sourceIp}`),
        locateClient: createClientLocator({
          addressHeader: "x-client-address",
          secretHeader: "x-origin-secret",
          secretHashes: [sha256(NEW)],
        }),
      },
    );
    const call = (headers: Record<string, string>) =>
      handler(httpEvent({ method: "GET", rawPath: "/things", headers }), lambdaContext);
    const throughCdn = { "x-origin-secret": NEW, "x-client-address": "203.0.113.7" };
    await call({ ...throughCdn, authorization: "Bearer good", host: "origin.example" });
    await call({
      ...throughCdn,
      authorization: "Bearer good",
      host: "origin.example",
      "x-forwarded-host": "api.example",
    });
    await call(throughCdn);
    const direct = await call({ "x-client-address": "203.0.113.7" });
    // The CDN may name the host that clients call, for links in answers.
    const served = ["origin.example", "api.example"].flatMap((host) => ["203.0.113.7", `https://${host}/things`]);
    expect(seen).toEqual([...served, "refused 203.0.113.7"]);
    expect(direct.statusCode).toBe(403);
    expect(JSON.parse(direct.body ?? "")).toEqual({ error: 40304, message: "Call the API by its public address." });
  });
});
