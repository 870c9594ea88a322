import { describe, expect, it } from "@jest/globals";
import { createIdentityOrigins } from "../../../shared/http/identity-origins.ts";

const MINUTE_MS = 60_000;
const issuer = "https://login.example.com/tenant";

/** The origins of an issuer whose discovery document is `answer()`, on a clock that the test moves. */
const originsAt = (answer: () => unknown, of = issuer) => {
  let nowMs = 0;
  const fetched: string[] = [];
  const origins = createIdentityOrigins({
    issuer: of,
    now: () => nowMs,
    fetch: async (url) => {
      fetched.push(url.href);
      return new Uint8Array(Buffer.from(JSON.stringify(answer()))).buffer;
    },
  });
  return {
    origins,
    fetched,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
};

const document = (endpoints: Record<string, unknown>) => ({ issuer, ...endpoints });

describe("the origins that the console may call", () => {
  it("are the issuer's, and those of the token and revocation endpoints, each once", async () => {
    const { origins, fetched } = originsAt(() =>
      document({
        authorization_endpoint: "https://pages.example.com/authorize",
        token_endpoint: "https://demo.auth.eu-central-1.amazoncognito.com/oauth2/token",
        revocation_endpoint: "https://demo.auth.eu-central-1.amazoncognito.com/oauth2/revoke",
      }),
    );
    expect(await origins()).toEqual(["https://login.example.com", "https://demo.auth.eu-central-1.amazoncognito.com"]);
    expect(fetched).toEqual(["https://login.example.com/tenant/.well-known/openid-configuration"]);
  });

  it.each([
    "http://login.example.com/token",
    "javascript:alert(1)",
    "data:text/html,x",
    "https://*/token",
    "https://*.example.com/token",
    "https://a.example.com;script-src/token",
    "https://a,b.example.com/token",
    "https://'unsafe-inline'/token",
    "https://a.example.com\r\nx-planted: 1/token",
    "token",
    "",
    null,
    7,
    ["https://a.example.com", "https://b.example.com"],
    { href: "https://a.example.com" },
  ])("do not include the endpoint %j", async (endpoint) => {
    const { origins } = originsAt(() => document({ token_endpoint: endpoint }));
    expect(await origins()).toEqual(["https://login.example.com"]);
  });

  it("contain no more than the origin of an address with a user, a path or a query", async () => {
    const { origins } = originsAt(() =>
      document({
        token_endpoint: "https://user:password@tokens.example.com:8443/a;b?c='d'",
        revocation_endpoint: "http://127.0.0.1:4000/revoke",
      }),
    );
    expect(await origins()).toEqual(["https://login.example.com", "https://tokens.example.com:8443"]);
  });

  it("may be plain http on the loopback address of a local issuer", async () => {
    const local = "http://127.0.0.1:4000";
    const { origins } = originsAt(
      () => ({ issuer: local, token_endpoint: `${local}/token`, revocation_endpoint: "http://[::1]:4001/revoke" }),
      local,
    );
    expect(await origins()).toEqual([local, "http://[::1]:4001"]);
  });

  it("come from a document that is read once an hour", async () => {
    let host = "one";
    const { origins, fetched, pass } = originsAt(() => document({ token_endpoint: `https://${host}.example.com/` }));
    const first = await origins();
    host = "two";
    pass(60 * MINUTE_MS - 1);
    expect(await origins()).toEqual(first);
    pass(1);
    expect(await origins()).toEqual(["https://login.example.com", "https://two.example.com"]);
    expect(fetched).toHaveLength(2);
  });

  const down = () => {
    throw new Error("ECONNREFUSED");
  };

  it.each<[string, () => unknown]>([
    ["cannot be fetched", down],
    [
      "is of another issuer",
      () => ({ issuer: "https://other.example.com", token_endpoint: "https://other.example.com" }),
    ],
    ["is no document", () => "planted"],
  ])("are the issuer's alone while the document %s, which is tried once a minute", async (_, failing) => {
    let answer: () => unknown = failing;
    const { origins, fetched, pass } = originsAt(() => answer());
    expect(await origins()).toEqual(["https://login.example.com"]);
    pass(MINUTE_MS - 1);
    await origins();
    expect(fetched).toHaveLength(1);
    pass(1);
    answer = () => document({ token_endpoint: "https://tokens.example.com/" });
    expect(await origins()).toEqual(["https://login.example.com", "https://tokens.example.com"]);
    // The known origins outlive a later outage.
    answer = failing;
    pass(60 * MINUTE_MS);
    expect(await origins()).toEqual(["https://login.example.com", "https://tokens.example.com"]);
  });

  it("are the issuer's alone if no issuer exists", async () => {
    const origins = createIdentityOrigins({
      issuer: "https://issuer.invalid",
      now: () => 0,
      fetch: () => Promise.reject(new Error("ENOTFOUND")),
    });
    expect(await origins()).toEqual(["https://issuer.invalid"]);
  });
});
