import { beforeEach, describe, expect, it } from "@jest/globals";
import { KeySetUnavailableError } from "../../../shared/http/discovery.ts";
import { createKeySet } from "../../../shared/http/key-set.ts";
import { makeKey, startIssuer } from "../../support/issuer.ts";
import { keySetAt } from "../../support/key-set-at.ts";
import { usePerFile } from "../../support/use-started.ts";

const HOUR_MS = 3_600_000;

const issuer = usePerFile(startIssuer);
const key = usePerFile(() => makeKey("first"));
beforeEach(() => {
  Object.assign(issuer.state, { keys: [key.jwk], outage: false, fetches: 0, discovery: {} });
});

describe("prefetched keys", () => {
  it("serve the first token without a fetch", async () => {
    const { keySet, find } = keySetAt(issuer, key, 0);
    await keySet.prefetch();
    await expect(find()).resolves.toBe("first");
    expect(issuer.state.fetches).toBe(1);
  });

  it("expire like all others: a withdrawn key is trusted for at most one hour", async () => {
    const { time, keySet, find } = keySetAt(issuer, key, 0);
    await keySet.prefetch();
    issuer.state.keys = [];
    time.now = HOUR_MS - 1;
    await expect(find()).resolves.toBe("first");
    time.now = HOUR_MS;
    await expect(find()).rejects.toThrow("not found");
  });

  it("that could not be fetched are fetched for the first token without a pause", async () => {
    const { keySet, find } = keySetAt(issuer, key, 0);
    issuer.state.outage = true;
    await expect(keySet.prefetch()).rejects.toThrow();
    issuer.state.outage = false;
    await expect(find()).resolves.toBe("first");
  });
});

describe("the addresses of an issuer", () => {
  const errorAt = (url: string) =>
    createKeySet(url, () => 0)
      .prefetch()
      .then(() => undefined)
      .catch((error: Error) => error);

  it.each(["http://issuer.invalid", "ftp://localhost", "http://127.0.0.1.invalid"])("%s is refused", async (url) => {
    const error = await errorAt(url);
    expect(error).toBeInstanceOf(KeySetUnavailableError);
    expect(error?.message).toContain("is neither https nor loopback");
  });

  it.each(["http://localhost:1", "http://127.0.0.1:1", "http://[::1]:1", "https://localhost:1"])(
    "%s is asked",
    async (url) => {
      expect(await errorAt(url)).not.toBeInstanceOf(KeySetUnavailableError);
    },
  );

  it("also apply to the address of the keys", async () => {
    issuer.state.discovery = { jwks_uri: "http://issuer.invalid/keys" };
    await expect(keySetAt(issuer, key, 0).keySet.prefetch()).rejects.toThrow("is neither https nor loopback");
  });
});

describe("keys that cannot be fetched", () => {
  it("are asked for again after 2 s, and not before", async () => {
    const { time, find } = keySetAt(issuer, key, 10_000);
    issuer.state.outage = true;
    await expect(find()).rejects.toThrow(/^The keys of the issuer cannot be fetched: .*status 500/);
    issuer.state.outage = false;
    time.now += 1_999;
    await expect(find()).rejects.toThrow("The issuer did not answer a moment ago.");
    expect(issuer.state.fetches).toBe(0);
    time.now += 1;
    await expect(find()).resolves.toBe("first");
  });

  it("and keys that cannot be read are no refusal of the token", async () => {
    const { time, find } = keySetAt(issuer, key, 10_000);
    issuer.state.keys = [{ kid: "without a type" }];
    const error = await find().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(KeySetUnavailableError);
    issuer.state.keys = [key.jwk];
    time.now += 1_999;
    await expect(find()).rejects.toBeInstanceOf(KeySetUnavailableError);
    time.now += 1;
    await expect(find()).resolves.toBe("first");
  });

  it("are kept for an hour, and then refreshed at most once a minute", async () => {
    const { time, find } = keySetAt(issuer, key, 0);
    await find();
    issuer.state.outage = true;
    time.now = 3_600_000;
    await expect(find()).resolves.toBe("first");
    issuer.state.outage = false;
    const fetches = issuer.state.fetches;
    time.now += 59_999;
    await find();
    expect(issuer.state.fetches).toBe(fetches);
    time.now += 1;
    await find();
    expect(issuer.state.fetches).toBe(fetches + 1);
  });
});
