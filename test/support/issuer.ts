import { createServer } from "node:http";
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { listen } from "../../infra/local/http/listen.ts";

type Key = { kid: string; alg: string; privateKey: CryptoKey; jwk: Record<string, unknown> };

/** A key that an issuer signs with. */
export const makeKey = async (kid: string, alg = "RS256"): Promise<Key> => {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
};

/** An OpenID issuer on a loopback port. Tests can change its answers and count fetches. */
export const startIssuer = async () => {
  const state = { keys: [] as Record<string, unknown>[], outage: false, fetches: 0, discovery: {} as object };
  const server = createServer((request, response) => {
    if (request.url?.endsWith("/keys")) state.fetches++;
    if (state.outage) return void response.writeHead(500).end();
    const body = request.url?.endsWith("/keys")
      ? { keys: state.keys }
      : { issuer, jwks_uri: `${issuer}/keys`, ...state.discovery };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  const { url: issuer, close } = await listen(server, 0);
  return {
    issuer,
    state,
    /** A token signed with the key. A claim or header that is undefined is left out. */
    sign: (key: Key, payload: JWTPayload, header: Record<string, unknown> = {}) =>
      new SignJWT(payload).setProtectedHeader({ alg: key.alg, kid: key.kid, ...header }).sign(key.privateKey),
    stop: () => close(),
  };
};
