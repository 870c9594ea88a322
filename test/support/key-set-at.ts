import { decomposeUnverifiedJwt } from "aws-jwt-verify/jwt";
import { discoveryUrl } from "../../shared/http/discovery.ts";
import { createKeySet } from "../../shared/http/key-set.ts";
import type { makeKey, startIssuer } from "./issuer.ts";

type Issuer = Awaited<ReturnType<typeof startIssuer>>;
type Key = Awaited<ReturnType<typeof makeKey>>;

/** A key set with a clock. `find` looks for the key of a token, and returns its id. */
export const keySetAt = (issuer: Issuer, key: Key, start: number) => {
  const time = { now: start };
  const keySet = createKeySet(issuer.issuer, () => time.now);
  const find = async () => {
    const token = decomposeUnverifiedJwt(await issuer.sign(key, { iss: issuer.issuer }));
    return keySet.cache.getJwk(discoveryUrl(issuer.issuer), token).then(({ kid }) => kid);
  };
  return { time, keySet, find };
};
