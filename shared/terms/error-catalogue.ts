/**
 * Every failure that a client can see: its name in the code, its HTTP status, its stable number and what it means.
 * The number is the status times 100 plus a running number; numbers are never reused. A domain error becomes a
 * status here and nowhere else; the OpenAPI document lists this table. Decisions: docs/decisions.md, "Errors".
 */

type CatalogueEntry = {
  readonly status: number;
  /** The `error` field of the body. */
  readonly number: number;
  readonly meaning: string;
  /** The least number of whole seconds that a client should wait, where waiting helps. */
  readonly retryAfterSeconds?: number;
};

export const errorCatalogue = {
  invalid_json: { status: 400, number: 40001, meaning: "The body is not valid JSON, or not well-formed Unicode." },
  invalid_field: {
    status: 400,
    number: 40002,
    meaning: "A field or a parameter is missing, malformed or out of range.",
  },
  invalid_cursor: {
    status: 400,
    number: 40003,
    meaning: "The cursor was not given out for this caller and this query.",
  },
  invalid_authorization: {
    status: 400,
    number: 40004,
    meaning: "The state was not given out to this user, has expired or was used already.",
  },
  webhook_rejected: {
    status: 400,
    number: 40005,
    meaning: "The webhook's signature does not verify, or nobody here expects webhooks under this address.",
  },
  no_bearer_token: { status: 401, number: 40101, meaning: "The request carries no bearer token." },
  invalid_token: { status: 401, number: 40102, meaning: "The token is not one that this service accepts." },
  expired_token: { status: 401, number: 40103, meaning: "The token has expired." },
  role_may_not: { status: 403, number: 40301, meaning: "The caller's role does not have the permission." },
  ip_address_not_allowed: {
    status: 403,
    number: 40302,
    meaning: "The organization's settings do not allow calls from this address.",
  },
  organization_required: {
    status: 403,
    number: 40303,
    meaning: "The token names no organization; the endpoint needs one.",
  },
  plant_not_found: {
    status: 404,
    number: 40401,
    meaning: "There is no such plant among those that the caller may see.",
  },
  route_not_found: { status: 404, number: 40402, meaning: "There is no such path." },
  report_not_found: {
    status: 404,
    number: 40403,
    meaning: "The organization has no such report.",
  },
  method_not_allowed: { status: 405, number: 40501, meaning: "The path exists, but not with this method; see Allow." },
  plant_exists: { status: 409, number: 40901, meaning: "The caller already has a plant with this id." },
  other_account: {
    status: 409,
    number: 40902,
    meaning: "Records of another account are stored; they must be erased before this one can be connected.",
  },
  not_connected: {
    status: 409,
    number: 40903,
    meaning: "The organization has no connection to the provider, or one that must be made anew.",
  },
  sync_running: { status: 409, number: 40904, meaning: "A sync run of the organization is under way." },
  idempotency_conflict: {
    status: 409,
    number: 40905,
    meaning: "The Idempotency-Key was used with another body within the last 24 hours.",
  },
  author_locked_out: {
    status: 409,
    number: 40906,
    meaning: "The IP allowlist leaves out the address of its own author.",
  },
  body_too_large: { status: 413, number: 41301, meaning: "The body is larger than the service takes." },
  unsupported_media_type: { status: 415, number: 41501, meaning: "The body's content type is not application/json." },
  credentials_refused: {
    status: 422,
    number: 42201,
    meaning: "The provider refuses the credentials. Nothing was stored.",
  },
  internal: { status: 500, number: 50001, meaning: "The service failed; the request id finds the reason in its log." },
  store_unavailable: {
    status: 503,
    number: 50301,
    meaning: "The store did not answer in time. Nothing was lost; try again.",
    retryAfterSeconds: 1,
  },
  key_set_unavailable: {
    status: 503,
    number: 50302,
    meaning: "The issuer's keys cannot be fetched, so the token could not be judged; try again.",
    retryAfterSeconds: 2,
  },
  circuit_open: {
    status: 503,
    number: 50303,
    meaning:
      "The provider is not called for this organization at present; Retry-After says until when, unless an operator decides.",
  },
  provider_unavailable: {
    status: 503,
    number: 50304,
    meaning: "The provider did not answer as it should. Nothing was changed; try again.",
    retryAfterSeconds: 5,
  },
  oauth_not_configured: {
    status: 503,
    number: 50305,
    meaning: "This deployment has no OAuth credentials of the platform; connect with an API key.",
    retryAfterSeconds: 3600,
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorName = keyof typeof errorCatalogue;

/** The entry of a name, with the optional parts that the literal types hide. */
export const catalogueEntry = (name: ErrorName): CatalogueEntry => errorCatalogue[name];
