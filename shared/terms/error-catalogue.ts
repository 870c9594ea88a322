/**
 * Every failure that a client can receive: its name in the code and its stable number, the `error` field of the body.
 * The number is the HTTP status times 100 plus a running number; numbers are never reused. Only this table maps domain
 * errors to statuses. The OpenAPI document lists it with error-meanings.ts. Decisions: docs/decisions.md, "Errors".
 */
export const errorNumbers = {
  invalid_json: 40001,
  invalid_field: 40002,
  invalid_cursor: 40003,
  invalid_authorization: 40004,
  webhook_rejected: 40005,
  no_bearer_token: 40101,
  invalid_token: 40102,
  expired_token: 40103,
  role_may_not: 40301,
  ip_address_not_allowed: 40302,
  organization_required: 40303,
  not_through_cdn: 40304,
  plant_not_found: 40401,
  route_not_found: 40402,
  report_not_found: 40403,
  event_not_found: 40404,
  alert_not_found: 40405,
  link_not_found: 40406,
  webhook_not_found: 40407,
  export_not_found: 40408,
  destination_not_found: 40409,
  delivery_not_found: 40410,
  custom_rule_not_found: 40412,
  mute_not_found: 40411,
  method_not_allowed: 40501,
  plant_exists: 40901,
  other_account: 40902,
  not_connected: 40903,
  sync_running: 40904,
  idempotency_conflict: 40905,
  author_locked_out: 40906,
  account_shared: 40907,
  webhook_not_failed: 40908,
  too_many_exports: 40909,
  too_many_destinations: 40910,
  delivery_not_failed: 40911,
  destination_not_confirmed: 40912,
  destination_paused: 40913,
  email_not_configured: 40914,
  too_many_confirmations: 40915,
  too_many_rolls: 40916,
  too_many_custom_rules: 40920,
  custom_rule_changed: 40921,
  too_many_mutes: 40917,
  alert_superseded: 40930,
  link_ended: 41001,
  body_too_large: 41301,
  unsupported_media_type: 41501,
  credentials_refused: 42201,
  webhook_not_registered: 42202,
  too_many_tests: 42901,
  internal: 50001,
  store_unavailable: 50301,
  key_set_unavailable: 50302,
  circuit_open: 50303,
  provider_unavailable: 50304,
  oauth_not_configured: 50305,
  webhook_url_missing: 50306,
} as const;

export type ErrorName = keyof typeof errorNumbers;

/** Seconds until the client may retry, for failures after which a retry helps. */
const retryAfter: Partial<Record<ErrorName, number>> = {
  too_many_tests: 60,
  store_unavailable: 1,
  key_set_unavailable: 2,
  provider_unavailable: 5,
  oauth_not_configured: 3600,
  webhook_url_missing: 3600,
};

export const catalogueEntry = (name: ErrorName) => ({
  status: Math.trunc(errorNumbers[name] / 100),
  number: errorNumbers[name],
  retryAfterSeconds: retryAfter[name],
});
