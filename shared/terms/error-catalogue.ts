/**
 * Every failure that a client can receive: its name in the code, its HTTP status, its stable number and its meaning.
 * The number is the status times 100 plus a running number; numbers are never reused. Only this table maps domain
 * errors to statuses. The OpenAPI document lists it. Decisions: docs/decisions.md, "Errors".
 */

type CatalogueEntry = {
  readonly status: number;
  /** The `error` field of the body. */
  readonly number: number;
  readonly meaning: string;
  /** Seconds until the client may retry; undefined if a retry does not help. */
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
    meaning: "The cursor was not issued for this caller and this query.",
  },
  invalid_authorization: {
    status: 400,
    number: 40004,
    meaning: "The state was not issued to this user, has expired or was already used.",
  },
  webhook_rejected: {
    status: 400,
    number: 40005,
    meaning: "The webhook's signature is not valid, or no connection receives webhooks at this URL.",
  },
  no_bearer_token: { status: 401, number: 40101, meaning: "The request has no bearer token." },
  invalid_token: { status: 401, number: 40102, meaning: "The service does not accept the token." },
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
  not_through_cdn: {
    status: 403,
    number: 40304,
    meaning: "The deployment accepts only requests that come through its CDN.",
  },
  plant_not_found: {
    status: 404,
    number: 40401,
    meaning: "The plant does not exist in the caller's scope.",
  },
  route_not_found: { status: 404, number: 40402, meaning: "The path does not exist." },
  report_not_found: {
    status: 404,
    number: 40403,
    meaning: "The report does not exist in the organization.",
  },
  event_not_found: {
    status: 404,
    number: 40404,
    meaning: "The security event does not exist in the organization.",
  },
  alert_not_found: {
    status: 404,
    number: 40405,
    meaning: "The alert does not exist in the organization.",
  },
  link_not_found: { status: 404, number: 40406, meaning: "The service did not issue this link for this report." },
  method_not_allowed: {
    status: 405,
    number: 40501,
    meaning: "The path does not support this method; see the header Allow.",
  },
  plant_exists: { status: 409, number: 40901, meaning: "The caller already has a plant with this id." },
  other_account: {
    status: 409,
    number: 40902,
    meaning: "Records of another account are stored. They must be erased before this account can be connected.",
  },
  not_connected: {
    status: 409,
    number: 40903,
    meaning: "The organization has no connection to the provider, or must connect again.",
  },
  sync_running: { status: 409, number: 40904, meaning: "The organization already has an active sync run." },
  idempotency_conflict: {
    status: 409,
    number: 40905,
    meaning: "The Idempotency-Key was used with another body within the last 24 hours.",
  },
  author_locked_out: {
    status: 409,
    number: 40906,
    meaning: "The IP allowlist does not include the address of the caller who sets it.",
  },
  account_shared: {
    status: 409,
    number: 40907,
    meaning: "Too many other organizations have connected the account.",
  },
  link_ended: {
    status: 410,
    number: 41001,
    meaning: "The link has expired, or data of the organization was erased since. Create another link.",
  },
  body_too_large: { status: 413, number: 41301, meaning: "The body is larger than the service accepts." },
  unsupported_media_type: { status: 415, number: 41501, meaning: "The body's content type is not application/json." },
  credentials_refused: {
    status: 422,
    number: 42201,
    meaning: "The provider rejected the credentials. Nothing was stored.",
  },
  webhook_not_registered: {
    status: 422,
    number: 42202,
    meaning: "The provider refuses to register the webhook, or the API key lacks the permission. Nothing was stored.",
  },
  internal: { status: 500, number: 50001, meaning: "The service failed. Its log has the reason under the request id." },
  store_unavailable: {
    status: 503,
    number: 50301,
    meaning: "The store did not answer in time. No data was lost; try again.",
    retryAfterSeconds: 1,
  },
  key_set_unavailable: {
    status: 503,
    number: 50302,
    meaning: "The issuer's keys cannot be fetched, so the token could not be verified; try again.",
    retryAfterSeconds: 2,
  },
  circuit_open: {
    status: 503,
    number: 50303,
    meaning:
      "The circuit is open: the provider is not called for this organization. Retry-After is absent while an operator holds the circuit open.",
  },
  provider_unavailable: {
    status: 503,
    number: 50304,
    meaning: "The provider failed or did not answer. Nothing was changed; try again.",
    retryAfterSeconds: 5,
  },
  oauth_not_configured: {
    status: 503,
    number: 50305,
    meaning: "This deployment has no OAuth credentials of the platform; connect with an API key.",
    retryAfterSeconds: 3600,
  },
  webhook_url_missing: {
    status: 503,
    number: 50306,
    meaning: "This deployment has no webhook URL; connect without `registerWebhook`.",
    retryAfterSeconds: 3600,
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorName = keyof typeof errorCatalogue;

/** The entry of a name, typed with its optional fields. */
export const catalogueEntry = (name: ErrorName): CatalogueEntry => errorCatalogue[name];
