import { CompactSign } from "jose";
import * as z from "zod";
import type { Clock } from "../core/clock.ts";
import { answerPreflight, withCors } from "../http/cors.ts";
import { splitTarget, type WireRequest } from "../http/front-end.ts";
import { answerByRoutes, type JsonAnswer, refuse, startServer } from "../http/json-server.ts";
import { SCOPES } from "./authorization-request.ts";
import { openSessions } from "./sessions.ts";
import { createSignIn, DOWN } from "./sign-in.ts";
import { openSigningKeys } from "./signing-keys.ts";
import { type ClaimNames, claimsFor, TokenRequest } from "./token-request.ts";

/**
 * The addresses to which a sign-in or a sign-out may return, compared character by character: the console at the API's
 * URL, and the same server by the name `localhost`, which a developer may type.
 */
const redirectUrisOf = (apiUrl: string): readonly string[] => {
  const { port } = new URL(apiUrl);
  return [`${apiUrl}/console`, `http://localhost:${port}/console`];
};

/** Body of `POST /rotate`: whether tokens of the old key stop verifying. */
const Rotation = z.strictObject({ forget: z.boolean().default(false) });
/** Body of `POST /outage`: seconds on the local cloud's clock; without any until cleared, which 0 does. */
const Outage = z.strictObject({ seconds: z.int().min(0).optional() });

export type IssuerOptions = {
  dataDirectory: string;
  audience: string;
  claimNames: ClaimNames;
  clock: Pick<Clock, "now">;
  /** Whether each use of a refresh token replaces it. By default it does. */
  isRotating?: boolean | undefined;
  /** The URL of the API whose console signs in here; without it, nothing signs in. */
  apiUrl?: string | undefined;
  onError: (error: unknown) => void;
};

/** `url` is the issuer, without a trailing slash. */
export type Issuer = { url: string; jwksUrl: string; close(): Promise<void> };

/** Runs the work on a body that the schema accepts; otherwise answers 400 with the wrong field and the reason. */
const accepting =
  <Schema extends z.ZodType>(schema: Schema, work: (input: z.output<Schema>) => JsonAnswer | Promise<JsonAnswer>) =>
  ({ body }: { body: unknown }) => {
    const parsed = schema.safeParse(body ?? {});
    return parsed.success ? work(parsed.data) : refuse(400, z.prettifyError(parsed.error));
  };

/** What scripts of the console's origin may call; other requests of browsers are navigations. */
const CROSS_ORIGIN_PATHS = [
  "/.well-known/openid-configuration",
  "/.well-known/jwks.json",
  "/token",
  "/revoke",
  "/clock",
];

/**
 * A development OpenID Connect issuer: discovery and key set like any issuer, the authorization code flow with a page to
 * choose who signs in (sign-in.ts), and without any log-in `POST /token` with JSON (token-request.ts). For developers and
 * tests: `POST /rotate`, `POST /outage` (all but that `POST /token` answers 503), `GET /` (how often the key set was
 * fetched) and `GET /clock`.
 */
export const startIssuer = async (options: IssuerOptions): Promise<Issuer> => {
  const { dataDirectory, audience, claimNames, clock, isRotating = true, apiUrl, onError } = options;
  const keys = await openSigningKeys(dataDirectory);
  const sessions = openSessions(dataDirectory, clock);
  let outageUntilMs = 0;
  let keySetFetches = 0;
  let issuer = "";

  const isDown = () => clock.now() < outageUntilMs;
  const unlessDown = (work: () => unknown): JsonAnswer =>
    isDown() ? refuse(503, DOWN) : { status: 200, body: work() };

  const sign = async (claims: Record<string, unknown>): Promise<string> => {
    const { kid, privateKey } = await keys.current();
    // Not SignJWT, because it refuses some malformed claims that tests must send.
    return new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: "RS256", typ: "JWT", kid })
      .sign(privateKey);
  };

  const mint = async (input: z.output<typeof TokenRequest>) => {
    const claims = claimsFor(input, { issuer, audience, claimNames, nowMs: clock.now() });
    return { access_token: await sign(claims), token_type: "Bearer", expires_in: input.expiresInSeconds };
  };

  const signIn = createSignIn({
    sessions,
    clock,
    isRotating,
    issuer: () => issuer,
    redirectUris: apiUrl === undefined ? [] : redirectUrisOf(apiUrl),
    isDown,
    mintAccessToken: ({ id, organizationId, role, userId }, expiresInSeconds) =>
      mint({ organizationId, role, userId, expiresInSeconds, claims: { sid: id } }),
    signIdToken: (claims) => sign({ iss: issuer, ...claims }),
  });

  const answerJson = answerByRoutes({
    "GET /": () => ({ status: 200, body: { issuer, audience, keySetFetches } }),
    "GET /.well-known/openid-configuration": () =>
      unlessDown(() => ({
        issuer,
        jwks_uri: `${issuer}/.well-known/jwks.json`,
        token_endpoint: `${issuer}/token`,
        // No standard has it. The console asks there whether the clock was moved, before it uses a token.
        clock_endpoint: `${issuer}/clock`,
        ...signIn.metadata(),
        scopes_supported: SCOPES,
        response_types_supported: ["code"],
        response_modes_supported: ["query"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
        revocation_endpoint_auth_methods_supported: ["none"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
      })),
    "GET /.well-known/jwks.json": () => {
      keySetFetches++;
      return unlessDown(() => ({ keys: keys.publicKeys() }));
    },
    "GET /clock": () => ({ status: 200, body: { now: clock.now() } }),
    "POST /token": accepting(TokenRequest, async (input) => ({ status: 200, body: await mint(input) })),
    "POST /rotate": accepting(Rotation, async ({ forget }) => ({
      status: 200,
      body: { kid: await keys.rotate(forget) },
    })),
    "POST /outage": accepting(Outage, ({ seconds }) => {
      outageUntilMs = seconds === undefined ? Number.POSITIVE_INFINITY : clock.now() + seconds * 1000;
      return { status: 200, body: { until: seconds === undefined ? "cleared" : outageUntilMs } };
    }),
  });

  const cors = {
    allowOrigins: signIn.origins,
    allowMethods: ["GET", "POST"],
    allowHeaders: ["content-type"],
    exposeHeaders: [],
    maxAgeSeconds: 600,
  };
  const answer = async (request: WireRequest) => (await signIn.answer(request)) ?? answerJson(request);
  const server = await startServer({
    onError,
    // The same as at the last start, so that an open console can go on after a restart.
    preferredPort: sessions.port(),
    answer: async (request) =>
      CROSS_ORIGIN_PATHS.includes(splitTarget(request.target).path)
        ? (answerPreflight(cors, request) ?? withCors(cors, request, await answer(request)))
        : answer(request),
  });
  sessions.keepPort(server.port);
  issuer = server.url;
  return { url: issuer, jwksUrl: `${issuer}/.well-known/jwks.json`, close: () => server.close() };
};
