/**
 * The meaning of each error number. Apart from the catalogue, because only the OpenAPI document has it: 4 KB that no cold
 * start of another function loads.
 */
import type { ErrorName } from "./error-catalogue.ts";
import type { Lacks } from "./lacks.ts";

export const errorMeanings = {
  invalid_json: "The body is not valid JSON, or not well-formed Unicode.",
  invalid_field: "A field or a parameter is missing, malformed or out of range.",
  invalid_cursor: "The cursor was not issued for this caller and this query.",
  invalid_authorization: "The state was not issued to this user, has expired or was already used.",
  webhook_rejected: "The webhook's signature is not valid, or no connection receives webhooks at this URL.",
  no_bearer_token: "The request has no bearer token, or a link lacks its key.",
  invalid_token: "The service does not accept the token.",
  expired_token: "The token has expired.",
  role_may_not: "The caller's role does not have the permission.",
  ip_address_not_allowed: "The organization's settings do not allow calls from this address.",
  organization_required: "The token names no organization; the endpoint needs one.",
  not_through_cdn: "The deployment accepts only requests that come through its CDN.",
  plant_not_found: "The plant does not exist in the caller's scope.",
  route_not_found: "The path does not exist.",
  report_not_found: "The report does not exist in the organization.",
  event_not_found: "The security event does not exist in the organization.",
  alert_not_found: "The alert does not exist in the organization.",
  link_not_found: "The service did not issue this link, or not for this report or destination.",
  webhook_not_found: "The webhook's event does not exist in the organization, or has expired.",
  export_not_found: "The export does not exist in the organization, or has expired.",
  destination_not_found: "The destination does not exist in the organization.",
  delivery_not_found: "The delivery does not exist in the organization, or has expired.",
  custom_rule_not_found: "The own rule does not exist in the organization.",
  mute_not_found: "The mute does not exist in the organization, or has expired.",
  rule_not_found: "There is no such rule.",
  checkpoint_not_found: "The log has no signed checkpoint of that size.",
  preview_not_found: "The preview does not exist in the organization, or has expired.",
  drill_not_found: "The drill does not exist in the organization, or has expired.",
  method_not_allowed: "The path does not support this method; see the header Allow.",
  plant_exists: "The caller already has a plant with this id.",
  other_account: "Records of another account are stored. They must be erased before this account can be connected.",
  not_connected: "The organization has no connection to the provider, or must connect again.",
  sync_running: "The organization already has an active sync run.",
  idempotency_conflict: "The Idempotency-Key was used with another body within the last 24 hours.",
  author_locked_out: "The IP allowlist does not include the address of the caller who sets it.",
  account_shared: "Too many other organizations have connected the account.",
  webhook_not_failed:
    "The webhook's event is processed already, or waits to be processed. Only a failed one is replayed.",
  too_many_exports: "Three exports of the organization are not complete yet. Wait until one of them has ended.",
  too_many_destinations: "The organization has 20 destinations already. Delete one first.",
  delivery_not_failed: "The delivery has arrived, or is still tried. Only a failed one is retried.",
  destination_not_confirmed: "The recipient has not confirmed the e-mail address yet.",
  destination_paused: "The destination is paused. Resume it first.",
  email_not_configured: "This deployment has no sender of e-mails; use another type of destination.",
  too_many_confirmations:
    "The organization, or all together, have had too many confirmation mails sent, or the recipient refused them. Try again another day.",
  too_many_rolls:
    "The secret was rolled four times in 24 hours, and the replaced ones still sign. The message says from when on it can be rolled.",
  too_many_custom_rules: "The organization has 20 own rules already. Delete one first.",
  custom_rule_changed: "The own rule was changed since it was read. Read it and change it again.",
  too_many_mutes: "The organization has 50 mutes that have not ended. End one first.",
  too_many_reviews: "The report has 100 reviews already.",
  alert_superseded: "A newer alert of the same rule and subject is not resolved yet. Nothing was opened again.",
  revision_conflict: "It was changed since: the request has another revision than the present one.",
  preview_running: "A preview of the organization has not ended yet. Wait until it has.",
  drill_running: "A drill of the organization has not ended yet. It ends within 10 minutes.",
  link_ended: "The link has expired, or what it is for was changed or erased since.",
  body_too_large: "The body is larger than the service accepts.",
  unsupported_media_type: "The body's content type is not application/json.",
  credentials_refused: "The provider rejected the credentials. Nothing was stored.",
  webhook_not_registered:
    "The provider refuses to register the webhook, or the API key lacks the permission. Nothing was stored.",
  too_many_drills: "The organization has had ten drills in this UTC day. Wait as long as Retry-After says.",
  too_many_tests: "The organization has had ten samples sent within a minute. Wait as long as Retry-After says.",
  internal: "The service failed. Its log has the reason under the request id.",
  store_unavailable: "The store did not answer in time. No data was lost; try again.",
  key_set_unavailable: "The issuer's keys cannot be fetched, so the token could not be verified; try again.",
  circuit_open:
    "The circuit is open: the provider is not called for this organization. Retry-After is absent while an operator holds the circuit open.",
  provider_unavailable: "The provider failed or did not answer. Nothing was changed; try again.",
  oauth_not_configured: "This deployment has no OAuth credentials of the platform; connect with an API key.",
  webhook_url_missing: "This deployment has no webhook URL; connect without `registerWebhook`.",
} as const satisfies Readonly<Record<string, string>>;

true satisfies Lacks<ErrorName, keyof typeof errorMeanings, "to errorMeanings in shared/terms/error-meanings.ts">;
