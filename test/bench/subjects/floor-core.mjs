/**
 * The minimal cost of the plant endpoints: copies of functions/plants/*.ts, written for speed without any library. For a
 * valid request they do the same as the product: verify a token once and cache it, keep int64 exact, make one call to
 * the store and write one log line. They hardly handle invalid requests. The code is only a reference for measurements.
 */
import { createPublicKey, randomBytes, verify } from "node:crypto";
import { Agent, request } from "node:https";

const { env } = process;
export const agent = new Agent({ keepAlive: true });

export const send = (url, method, headers, body) =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode, text }));
    });
    sent.on("error", reject);
    sent.setTimeout(1500, () => sent.destroy(new Error("timeout")));
    sent.end(body);
  });

const keys = new Map();
const verified = new Map();

const keyOf = async (kid) => {
  if (!keys.has(kid)) {
    const discovery = await send(`${env.ISSUER}/.well-known/openid-configuration`, "GET");
    const { text } = await send(JSON.parse(discovery.text).jwks_uri, "GET");
    for (const jwk of JSON.parse(text).keys) keys.set(jwk.kid, createPublicKey({ key: jwk, format: "jwk" }));
  }
  return keys.get(kid);
};

const decode = (part) => JSON.parse(Buffer.from(part, "base64url"));

const scopeOf = async (authorization) => {
  const token = authorization.slice(7);
  const known = verified.get(token);
  if (known !== undefined && known.exp > Date.now() / 1000) return known.scope;
  const [head, body, signature] = token.split(".");
  const { alg, kid } = decode(head);
  const claims = decode(body);
  const isGood =
    alg === "RS256" &&
    claims.iss === env.ISSUER &&
    claims.aud === env.AUDIENCE &&
    claims.exp > Date.now() / 1000 &&
    verify("RSA-SHA256", Buffer.from(`${head}.${body}`), await keyOf(kid), Buffer.from(signature, "base64url"));
  if (!isGood) throw new Error("unauthorized");
  const organization = claims[env.ORGANIZATION_CLAIM];
  const scope = organization === undefined ? `user:${claims.sub}` : `org:${organization}`;
  verified.set(token, { scope, exp: claims.exp });
  return scope;
};

const exactly = (_key, value, { source }) =>
  typeof value === "number" && Number.isInteger(value) ? BigInt(source) : value;

const isText = (value, max) => typeof value === "string" && value.length >= 1 && value.length <= max;

const operations = {
  "POST /plants": async (store, scope, event) => {
    const { id, name, tag } = JSON.parse(event.body, exactly);
    if (typeof id !== "bigint" || BigInt.asIntN(64, id) !== id) return [400, { error: 40002, message: "id" }];
    if (!isText(name, 256)) return [400, { error: 40002, message: "name" }];
    if (tag !== undefined && !isText(tag, 128)) return [400, { error: 40002, message: "tag" }];
    await store.put({ scope, id, name, tag, token: randomBytes(9).toString("base64url") });
    return [200, { name, tag }];
  },
  "GET /plants": async (store, scope) => [200, await store.query(scope)],
  "DELETE /plants/{id}": async (store, scope, event) => {
    await store.remove({ scope, id: BigInt(event.pathParameters.id) });
    return [204];
  },
};

/** @param store the access to DynamoDB. */
export const createFloorHandler = (store) => async (event) => {
  const startedAt = Date.now();
  const { requestId } = event.requestContext;
  const scope = await scopeOf(event.headers.authorization);
  const [statusCode, body] = await operations[event.routeKey](store, scope, event);
  const line = {
    level: "info",
    message: event.routeKey,
    requestId,
    status: statusCode,
    durationMs: Date.now() - startedAt,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
  return {
    statusCode,
    headers: {
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": requestId,
      "content-type": "application/json",
    },
    body: body && JSON.stringify(body),
  };
};
