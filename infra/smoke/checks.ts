/** What a deployment must answer, seen from outside. The order is the order of the output. */
import { randomInt } from "node:crypto";
import { connect } from "node:tls";
import { generateKeyPair, SignJWT } from "jose";
import * as z from "zod";
import { DAY_MS } from "../../shared/terms/hours.ts";
import { expectBody, expectError, expectStatus, Mismatch, send } from "./deployment.ts";
import { readNodeFlags } from "./node-flags.ts";

export type Target = {
  /** The API's address without a trailing slash. */
  apiUrl: string;
  issuer?: string;
  audience?: string;
  /** An access token of a user who may create plants, and who belongs to an organization. */
  token?: string;
  /** The base of the webhook URL. */
  webhookUrl?: string;
  /** An origin that browsers may call the API from. */
  origin?: string;
  /** The log group of a function whose cold starts report the flags of Node. */
  logGroup?: string;
};

type Need = Exclude<keyof Target, "apiUrl">;

export type Check = {
  title: string;
  /** The check is skipped without these. */
  needs?: readonly Need[];
  /** The check is skipped for an address without TLS. */
  overTls?: boolean;
  /** Returns a remark for the output. @throws Mismatch */
  run: (target: Required<Target>) => Promise<string | undefined>;
};

const INTEGRATION = "/api/integrations/provider";
/** Certificates that expire sooner are not renewed automatically. */
const LEAST_CERTIFICATE_DAYS = 14;
/** The leeway of the service for the times in tokens. */
const CLOCK_LEEWAY_MS = 30_000;

const OpenApi = z.looseObject({
  openapi: z.string().startsWith("3.1"),
  paths: z.record(z.string(), z.looseObject({ get: z.looseObject({ security: z.array(z.unknown()) }).optional() })),
});
const Me = z.object({
  userId: z.string(),
  organizationId: z.string(),
  role: z.string(),
  permissions: z.array(z.string()),
});
const KeySet = z.object({ keys: z.array(z.looseObject({ kty: z.string(), kid: z.string().optional() })).min(1) });

const certificateDays = (url: URL): Promise<number> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: url.hostname, port: Number(url.port || 443), servername: url.hostname }, () => {
      const until = Date.parse(socket.getPeerCertificate().valid_to);
      socket.destroy();
      resolve(Math.floor((until - Date.now()) / DAY_MS));
    });
    socket.on("error", ({ message }) => reject(new Mismatch(`no TLS connection: ${message}`)));
  });

/** The issuer's metadata and keys. @throws Mismatch */
const readIssuer = async (issuer: string) => {
  const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const document = expectBody(
    await send(address),
    z.looseObject({ issuer: z.string(), jwks_uri: z.url() }),
    `a discovery document at ${address}`,
  );
  if (document.issuer !== issuer)
    throw new Mismatch(`the discovery document names the issuer ${document.issuer}; configure exactly that text`);
  const { keys } = expectBody(await send(document.jwks_uri), KeySet, `a key set at ${document.jwks_uri}`);
  return { keys };
};

/** A token that names the issuer's own key, but is signed by another. */
const forgeToken = async (issuer: string, audience: string): Promise<string> => {
  const { keys } = await readIssuer(issuer);
  const key = keys.find(({ kty }) => kty === "RSA") ?? keys[0];
  const algorithm = key?.kty === "EC" ? "ES256" : key?.kty === "OKP" ? "EdDSA" : "RS256";
  const { privateKey } = await generateKeyPair(algorithm);
  return new SignJWT({ org_id: "smoke", org_role: "admin", client_id: audience })
    .setProtectedHeader({ alg: algorithm, ...(key?.kid !== undefined && { kid: key.kid }) })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject("smoke")
    .setIssuedAt()
    .setExpirationTime("5m")
    .sign(privateKey);
};

/** Creates, lists and deletes one plant with an id that no rounding survives, before all others in the list. */
const roundTripPlant = async ({ apiUrl, token }: Required<Target>): Promise<undefined> => {
  const id = (-(2n ** 63n) + BigInt(randomInt(2 ** 47))).toString();
  const name = `smoke ${id}`;
  const create = () => send(`${apiUrl}/plants`, { method: "POST", token, body: `{"id":${id},"name":"${name}"}` });
  const remove = () => send(`${apiUrl}/plants/${id}`, { method: "DELETE", token });
  try {
    expectStatus(await create(), 200);
    expectError(await create(), "plant_exists");
    const plants = expectBody(
      await send(`${apiUrl}/plants?limit=1000`, { token }),
      z.array(z.object({ name: z.string() })),
      "a list of plants",
    );
    if (!plants.some((plant) => plant.name === name)) throw new Mismatch("the list misses the plant just created");
  } finally {
    expectStatus(await remove(), 204);
  }
  expectError(await remove(), "plant_not_found");
};

/** Every list and document of the API that needs a token and no id: pages behind links need the key of their link. */
const readAll = async ({ apiUrl, token }: Required<Target>): Promise<string> => {
  const document = expectBody(await send(`${apiUrl}/openapi.json`), OpenApi, "an OpenAPI document");
  const paths = Object.entries(document.paths).flatMap(([path, { get }]) =>
    get !== undefined && get.security.length > 0 && path.startsWith(INTEGRATION) && !path.includes("{") ? [path] : [],
  );
  let refused = 0;
  for (const path of paths) {
    const answer = await send(`${apiUrl}${path}`, { token });
    if (answer.status === 403) {
      expectError(answer, "role_may_not");
      refused++;
    } else if (answer.status !== 200) throw new Mismatch(`GET ${path} answered ${answer.status}: ${answer.text}`);
  }
  return `${paths.length - refused} answered${refused === 0 ? "" : `, ${refused} need another role`}`;
};

export const checks: readonly Check[] = [
  {
    title: "the OpenAPI document is served",
    run: async ({ apiUrl }) => {
      const { paths } = expectBody(await send(`${apiUrl}/openapi.json`), OpenApi, "an OpenAPI 3.1 document");
      return `${Object.keys(paths).length} paths`;
    },
  },
  {
    title: "answers are not cached, not sniffed, and carry a request id",
    run: async ({ apiUrl }) => {
      const { headers } = await send(`${apiUrl}/plants`);
      for (const [name, value] of [
        ["cache-control", /^no-store$/],
        ["x-content-type-options", /^nosniff$/],
        ["x-request-id", /./],
      ] as const)
        if (!value.test(headers.get(name) ?? "")) throw new Mismatch(`the header ${name} is ${headers.get(name)}`);
      return undefined;
    },
  },
  {
    title: "an unknown path is 404, another method 405",
    run: async ({ apiUrl }) => {
      expectError(await send(`${apiUrl}/no-such-path`), "route_not_found");
      const put = await send(`${apiUrl}/plants`, { method: "PUT", body: {} });
      expectError(put, "method_not_allowed");
      if (!put.headers.get("allow")?.includes("POST")) throw new Mismatch("the header allow does not name POST");
      return undefined;
    },
  },
  {
    title: "a request without a token, or with a malformed one, is 401",
    run: async ({ apiUrl }) => {
      for (const path of ["/plants", `${INTEGRATION}/security`]) {
        expectError(await send(`${apiUrl}${path}`), "no_bearer_token");
        expectError(await send(`${apiUrl}${path}`, { token: "smoke" }), "invalid_token");
      }
      return undefined;
    },
  },
  {
    title: "the certificate is valid and not about to expire",
    overTls: true,
    run: async ({ apiUrl }) => {
      const days = await certificateDays(new URL(apiUrl));
      if (days < LEAST_CERTIFICATE_DAYS) throw new Mismatch(`the certificate expires in ${days} days`);
      return `${days} days left`;
    },
  },
  {
    title: "the clocks agree",
    run: async ({ apiUrl }) => {
      const { headers } = await send(`${apiUrl}/openapi.json`);
      const date = headers.get("date");
      if (date === null) return "the gateway sends no date";
      const differenceMs = Math.abs(Date.parse(date) - Date.now());
      if (differenceMs > CLOCK_LEEWAY_MS)
        throw new Mismatch(`this machine and the gateway differ by ${Math.round(differenceMs / 1000)} s`);
      return undefined;
    },
  },
  {
    title: "the issuer publishes its keys",
    needs: ["issuer"],
    run: async ({ issuer }) => `${(await readIssuer(issuer)).keys.length} keys`,
  },
  {
    title: "a token that is signed by another key is 401",
    needs: ["issuer", "audience"],
    run: async ({ apiUrl, issuer, audience }) => {
      const token = await forgeToken(issuer, audience);
      expectError(await send(`${apiUrl}/plants`, { token }), "invalid_token");
      return undefined;
    },
  },
  {
    title: "the token is accepted",
    needs: ["token"],
    run: async ({ apiUrl, token }) => {
      const answer = await send(`${apiUrl}${INTEGRATION}/me`, { token });
      const me = expectBody(answer, Me, "the caller");
      return `user ${me.userId}, organization ${me.organizationId}, role ${me.role}`;
    },
  },
  { title: "a plant is created once, listed and deleted", needs: ["token"], run: roundTripPlant },
  { title: "the integration's lists answer", needs: ["token"], run: readAll },
  {
    title: "a webhook with a forged signature is 400",
    needs: ["webhookUrl"],
    run: async ({ webhookUrl }) => {
      const answer = await send(`${webhookUrl}/smoke-of-a-deployment`, {
        method: "POST",
        headers: { "stripe-signature": `t=${Math.floor(Date.now() / 1000)},v1=${"0".repeat(64)}` },
        body: { id: "evt_smoke", type: "customer.created", created: 0 },
      });
      expectError(answer, "webhook_rejected");
      return undefined;
    },
  },
  {
    title: "browsers of the origin may call the API, others may not",
    needs: ["origin"],
    run: async ({ apiUrl, origin }) => {
      const allowed = async (from: string) => {
        const headers = { origin: from, "access-control-request-method": "GET" };
        const answer = await send(`${apiUrl}/plants`, { method: "OPTIONS", headers });
        return answer.headers.get("access-control-allow-origin");
      };
      if ((await allowed(origin)) !== origin) throw new Mismatch(`the preflight does not allow ${origin}`);
      const other = "https://smoke.invalid";
      if ((await allowed(other)) !== null) throw new Mismatch(`the preflight also allows ${other}`);
      return undefined;
    },
  },
  { title: "a cold start reports the flags of Node", needs: ["logGroup"], run: readNodeFlags },
];
