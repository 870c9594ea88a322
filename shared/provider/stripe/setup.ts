/**
 * What an organization sets up at the provider by hand: a restricted key, and a webhook endpoint.
 * Restricted keys: https://docs.stripe.com/keys/restricted-api-keys. The provider names a missing permission by its slug
 * (`rak_…`) in its answer.
 */
import { forEachType } from "../../records/record.ts";
import type { ProviderSetup } from "../provider.ts";
import { eventTypes } from "./events.ts";
import { providerTypes } from "./objects.ts";

export const stripeSetup: ProviderSetup = {
  // The addresses that the SDK's documentation names: https://github.com/stripe/stripe-node
  provider: {
    name: "Stripe",
    apiKeysUrl: "https://dashboard.stripe.com/account/apikeys",
    webhooksUrl: "https://dashboard.stripe.com/account/webhooks",
  },
  eventTypes,
  keyPermissions: [
    // GET /v1/account.
    { resource: "Accounts", access: "read", name: "rak_accounts_kyc_basic_read", requiredFor: "sync" },
    { resource: "Customers", access: "read", name: providerTypes.customers.permission, requiredFor: "sync" },
    { resource: "Subscriptions", access: "read", name: providerTypes.subscriptions.permission, requiredFor: "sync" },
    // Also the list of invoice payments.
    { resource: "Invoices", access: "read", name: providerTypes.invoices.permission, requiredFor: "sync" },
    { resource: "PaymentIntents", access: "read", name: providerTypes.payments.permission, requiredFor: "sync" },
    { resource: "Charges and Refunds", access: "read", name: providerTypes.refunds.permission, requiredFor: "sync" },
    { resource: "Disputes", access: "read", name: providerTypes.disputes.permission, requiredFor: "sync" },
    { resource: "Payouts", access: "read", name: providerTypes.payouts.permission, requiredFor: "sync" },
    { resource: "Events", access: "read", name: "rak_event_read", requiredFor: "sync" },
    { resource: "Webhook Endpoints", access: "write", name: "rak_webhook_write", requiredFor: "webhook_registration" },
  ],
  readPermissions: forEachType((type) => providerTypes[type].permission),
};
