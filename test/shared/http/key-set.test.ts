import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { makeKey, startIssuer } from "../../support/issuer.ts";
import { keySetAt } from "../../support/key-set-at.ts";

const HOUR_MS = 3_600_000;

let issuer: Awaited<ReturnType<typeof startIssuer>>;
let key: Awaited<ReturnType<typeof makeKey>>;
beforeAll(async () => {
  issuer = await startIssuer();
  key = await makeKey("first");
});
afterAll(() => issuer.stop());
beforeEach(() => {
  issuer.state.keys = [key.jwk];
  issuer.state.outage = false;
  issuer.state.fetches = 0;
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
