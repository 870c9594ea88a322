type Account = { account_id: string; name: string; country: string; currency: string; created: number };

export const renderAccount = (account: Account) => ({
  id: account.account_id,
  object: "account",
  business_profile: {
    mcc: null,
    name: account.name,
    product_description: null,
    support_email: null,
    support_phone: null,
    support_url: null,
    url: "https://www.example.com",
  },
  business_type: "company",
  capabilities: { card_payments: "active", transfers: "active" },
  charges_enabled: true,
  country: account.country,
  created: account.created,
  default_currency: account.currency,
  details_submitted: true,
  email: "owner@example.com",
  payouts_enabled: true,
  settings: {
    dashboard: { display_name: account.name, timezone: "Etc/UTC" },
    payments: { statement_descriptor: "EXAMPLE.COM" },
  },
  type: "standard",
});
