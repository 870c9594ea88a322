import { CompactSign } from "jose";
import * as z from "zod";
import type { Clock } from "../core/clock.ts";
import { type JsonAnswer, refuse, startJsonServer } from "../http/json-server.ts";
import { openSigningKeys } from "./signing-keys.ts";
import { type ClaimNames, claimsFor, TokenRequest } from "./token-request.ts";

/** Body of `POST /rotate`: whether tokens of the old key stop verifying. */
const Rotation = z.strictObject({ forget: z.boolean().default(false) });
/** Body of `POST /outage`: seconds on the local cloud's clock; without any until cleared, which 0 does. */
const Outage = z.strictObject({ seconds: z.int().min(0).optional() });

export type IssuerOptions = {
  dataDirectory: string;
  audience: string;
  claimNames: ClaimNames;
  clock: Pick<Clock, "now">;
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

/**
 * A development OpenID Connect issuer: discovery and key set like any issuer, and without any log-in
 * `POST /token` (see token-request.ts), `POST /rotate`, `POST /outage` (the key set answers 503) and
 * `GET /` (how often the key set was fetched), for developers and tests.
 */
export const startIssuer = async (options: IssuerOptions): Promise<Issuer> => {
  const { dataDirectory, audience, claimNames, clock, onError } = options;
  const keys = await openSigningKeys(dataDirectory);
  let outageUntilMs = 0;
  let keySetFetches = 0;
  let issuer = "";

  const unlessDown = (work: () => unknown): JsonAnswer =>
    clock.now() < outageUntilMs
      ? refuse(503, "the issuer is down, as asked for by POST /outage")
      : { status: 200, body: work() };

  const mint = async (input: z.output<typeof TokenRequest>): Promise<JsonAnswer> => {
    const { kid, privateKey } = await keys.current();
    const claims = claimsFor(input, { issuer, audience, claimNames, nowMs: clock.now() });
    // Not SignJWT, because it refuses some malformed claims that tests must send.
    const token = await new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: "RS256", typ: "JWT", kid })
      .sign(privateKey);
    return { status: 200, body: { access_token: token, token_type: "Bearer", expires_in: input.expiresInSeconds } };
  };

  const server = await startJsonServer({
    onError,
    routes: {
      "GET /": () => ({ status: 200, body: { issuer, audience, keySetFetches } }),
      "GET /.well-known/openid-configuration": () =>
        unlessDown(() => ({
          issuer,
          jwks_uri: `${issuer}/.well-known/jwks.json`,
          token_endpoint: `${issuer}/token`,
          response_types_supported: ["token"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["RS256"],
        })),
      "GET /.well-known/jwks.json": () => {
        keySetFetches++;
        return unlessDown(() => ({ keys: keys.publicKeys() }));
      },
      "POST /token": accepting(TokenRequest, mint),
      "POST /rotate": accepting(Rotation, async ({ forget }) => ({
        status: 200,
        body: { kid: await keys.rotate(forget) },
      })),
      "POST /outage": accepting(Outage, ({ seconds }) => {
        outageUntilMs = seconds === undefined ? Number.POSITIVE_INFINITY : clock.now() + seconds * 1000;
        return { status: 200, body: { until: seconds === undefined ? "cleared" : outageUntilMs } };
      }),
    },
  });
  issuer = server.url;
  return { url: issuer, jwksUrl: `${issuer}/.well-known/jwks.json`, close: () => server.close() };
};
