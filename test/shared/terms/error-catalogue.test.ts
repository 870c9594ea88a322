import { expect, it } from "@jest/globals";
import { catalogueEntry, type ErrorName, errorNumbers } from "../../../shared/terms/error-catalogue.ts";
import type { Lacks } from "../../../shared/terms/lacks.ts";

/** Clients rely on these: status, number and the seconds of Retry-After. A new error is added here; no line changes. */
const published = {
  invalid_json: [400, 40001],
  invalid_field: [400, 40002],
  invalid_cursor: [400, 40003],
  invalid_authorization: [400, 40004],
  webhook_rejected: [400, 40005],
  no_bearer_token: [401, 40101],
  invalid_token: [401, 40102],
  expired_token: [401, 40103],
  role_may_not: [403, 40301],
  ip_address_not_allowed: [403, 40302],
  organization_required: [403, 40303],
  not_through_cdn: [403, 40304],
  plant_not_found: [404, 40401],
  route_not_found: [404, 40402],
  report_not_found: [404, 40403],
  event_not_found: [404, 40404],
  alert_not_found: [404, 40405],
  link_not_found: [404, 40406],
  webhook_not_found: [404, 40407],
  export_not_found: [404, 40408],
  destination_not_found: [404, 40409],
  delivery_not_found: [404, 40410],
  custom_rule_not_found: [404, 40412],
  too_many_custom_rules: [409, 40920],
  custom_rule_changed: [409, 40921],
  mute_not_found: [404, 40411],
  rule_not_found: [404, 40413],
  preview_not_found: [404, 40414],
  drill_not_found: [404, 40415],
  link_ended: [410, 41001],
  method_not_allowed: [405, 40501],
  plant_exists: [409, 40901],
  other_account: [409, 40902],
  not_connected: [409, 40903],
  checkpoint_not_found: [404, 40416],
  sync_running: [409, 40904],
  idempotency_conflict: [409, 40905],
  author_locked_out: [409, 40906],
  account_shared: [409, 40907],
  webhook_not_failed: [409, 40908],
  too_many_exports: [409, 40909],
  too_many_destinations: [409, 40910],
  delivery_not_failed: [409, 40911],
  destination_not_confirmed: [409, 40912],
  destination_paused: [409, 40913],
  email_not_configured: [409, 40914],
  too_many_confirmations: [409, 40915],
  too_many_rolls: [409, 40916],
  too_many_mutes: [409, 40917],
  revision_conflict: [409, 40923],
  preview_running: [409, 40924],
  drill_running: [409, 40925],
  body_too_large: [413, 41301],
  unsupported_media_type: [415, 41501],
  credentials_refused: [422, 42201],
  webhook_not_registered: [422, 42202],
  too_many_tests: [429, 42901, 60],
  too_many_drills: [429, 42902, 3600],
  alert_superseded: [409, 40930],
  too_many_reviews: [409, 40940],
  internal: [500, 50001],
  store_unavailable: [503, 50301, 1],
  key_set_unavailable: [503, 50302, 2],
  circuit_open: [503, 50303],
  provider_unavailable: [503, 50304, 5],
  oauth_not_configured: [503, 50305, 3600],
  webhook_url_missing: [503, 50306, 3600],
} satisfies Record<string, [status: number, number: number, retryAfterSeconds?: number]>;

true satisfies Lacks<ErrorName, keyof typeof published, "to published in test/shared/terms/error-catalogue.test.ts">;

it.each(Object.entries(published))("%s keeps its status, number and Retry-After", (name, expected) => {
  const { status, number, retryAfterSeconds } = catalogueEntry(name as ErrorName);
  expect([status, number, ...(retryAfterSeconds === undefined ? [] : [retryAfterSeconds])]).toEqual(expected);
});

it("uses no number twice", () => {
  const numbers = Object.values(errorNumbers);
  expect(new Set(numbers).size).toBe(numbers.length);
});
