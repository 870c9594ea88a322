/**
 * Every failure that a client can receive: its name in the code, its HTTP status and its stable number.
 * The number is the status times 100 plus a running number; numbers are never reused. Only this table maps domain errors to
 * statuses. The OpenAPI document lists it with error-meanings.ts. Decisions: docs/decisions.md, "Errors".
 */

type CatalogueEntry = {
  readonly status: number;
  /** The `error` field of the body. */
  readonly number: number;
  /** Seconds until the client may retry; undefined if a retry does not help. */
  readonly retryAfterSeconds?: number;
};

export const errorCatalogue = {
  invalid_json: { status: 400, number: 40001 },
  invalid_field: { status: 400, number: 40002 },
  invalid_cursor: { status: 400, number: 40003 },
  invalid_authorization: { status: 400, number: 40004 },
  webhook_rejected: { status: 400, number: 40005 },
  no_bearer_token: { status: 401, number: 40101 },
  invalid_token: { status: 401, number: 40102 },
  expired_token: { status: 401, number: 40103 },
  role_may_not: { status: 403, number: 40301 },
  ip_address_not_allowed: { status: 403, number: 40302 },
  organization_required: { status: 403, number: 40303 },
  not_through_cdn: { status: 403, number: 40304 },
  plant_not_found: { status: 404, number: 40401 },
  route_not_found: { status: 404, number: 40402 },
  report_not_found: { status: 404, number: 40403 },
  event_not_found: { status: 404, number: 40404 },
  alert_not_found: { status: 404, number: 40405 },
  link_not_found: { status: 404, number: 40406 },
  webhook_not_found: { status: 404, number: 40407 },
  method_not_allowed: { status: 405, number: 40501 },
  plant_exists: { status: 409, number: 40901 },
  other_account: { status: 409, number: 40902 },
  not_connected: { status: 409, number: 40903 },
  sync_running: { status: 409, number: 40904 },
  idempotency_conflict: { status: 409, number: 40905 },
  author_locked_out: { status: 409, number: 40906 },
  account_shared: { status: 409, number: 40907 },
  webhook_not_failed: { status: 409, number: 40908 },
  link_ended: { status: 410, number: 41001 },
  body_too_large: { status: 413, number: 41301 },
  unsupported_media_type: { status: 415, number: 41501 },
  credentials_refused: { status: 422, number: 42201 },
  webhook_not_registered: { status: 422, number: 42202 },
  internal: { status: 500, number: 50001 },
  store_unavailable: { status: 503, number: 50301, retryAfterSeconds: 1 },
  key_set_unavailable: { status: 503, number: 50302, retryAfterSeconds: 2 },
  circuit_open: { status: 503, number: 50303 },
  provider_unavailable: { status: 503, number: 50304, retryAfterSeconds: 5 },
  oauth_not_configured: { status: 503, number: 50305, retryAfterSeconds: 3600 },
  webhook_url_missing: { status: 503, number: 50306, retryAfterSeconds: 3600 },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorName = keyof typeof errorCatalogue;

/** The entry of a name, typed with its optional fields. */
export const catalogueEntry = (name: ErrorName): CatalogueEntry => errorCatalogue[name];
