import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { decomposeUnverifiedJwt } from "aws-jwt-verify/jwt";
import { createKeySet, discoveryUrl } from "../../../shared/http/key-set.ts";
import { makeKey, startIssuer } from "../../support/issuer.ts";

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

const keySetAt = (start: number) => {
  const time = { now: start };
  const keySet = createKeySet(issuer.issuer, () => time.now);
  const find = async () => {
    const token = decomposeUnverifiedJwt(await issuer.sign(key, { iss: issuer.issuer }));
    return keySet.cache.getJwk(discoveryUrl(issuer.issuer), token).then(({ kid }) => kid);
  };
  return { time, keySet, find };
};

describe("prefetched keys", () => {
  it("serve the first token without a fetch", async () => {
    const { keySet, find } = keySetAt(0);
    await keySet.prefetch();
    await expect(find()).resolves.toBe("first");
    expect(issuer.state.fetches).toBe(1);
  });

  it("expire like all others: a withdrawn key is trusted for at most one hour", async () => {
    const { time, keySet, find } = keySetAt(0);
    await keySet.prefetch();
    issuer.state.keys = [];
    time.now = HOUR_MS - 1;
    await expect(find()).resolves.toBe("first");
    time.now = HOUR_MS;
    await expect(find()).rejects.toThrow("not found");
  });

  it("that could not be fetched are fetched for the first token without a pause", async () => {
    const { keySet, find } = keySetAt(0);
    issuer.state.outage = true;
    await expect(keySet.prefetch()).rejects.toThrow();
    issuer.state.outage = false;
    await expect(find()).resolves.toBe("first");
  });
});
