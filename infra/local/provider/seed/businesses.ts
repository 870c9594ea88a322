/** A product of a business: its price in the currency's minor unit, and the interval of payments. */
export type Offer = { price: string; product: string; unitAmount: number; interval: "month" | "year" };

/** A business whose account the simulator has from the start. */
export type Business = {
  accountId: string;
  /** A test key that only the simulator accepts. */
  apiKey: string;
  name: string;
  country: string;
  currency: string;
  customers: number;
  offers: readonly Offer[];
};

const makeOffers = (name: string, monthly: readonly number[]): Offer[] =>
  monthly.flatMap((unitAmount, index) =>
    (["month", "year"] as const).map((interval) => ({
      price: `price_1${name}${index}${interval}`,
      product: `prod_${name}${index}`,
      unitAmount: interval === "month" ? unitAmount : unitAmount * 10,
      interval,
    })),
  );

/** `npm start` connects the first one. */
export const businesses = [
  {
    accountId: "acct_1LocalBrightBikes",
    apiKey: "sk_test_local_bright_bikes",
    name: "Bright Bikes",
    country: "DE",
    currency: "eur",
    customers: 120,
    offers: makeOffers("BrightBikes", [1_900, 2_900, 5_900]),
  },
  {
    accountId: "acct_1LocalNordlicht",
    apiKey: "sk_test_local_nordlicht",
    name: "Nordlicht Yoga",
    country: "US",
    currency: "usd",
    customers: 80,
    offers: makeOffers("Nordlicht", [2_500, 7_500]),
  },
  {
    accountId: "acct_1LocalKumoTea",
    apiKey: "sk_test_local_kumo_tea",
    name: "Kumo Tea",
    country: "JP",
    currency: "jpy",
    customers: 60,
    offers: makeOffers("KumoTea", [980, 1_980]),
  },
] as const satisfies readonly Business[];

/** What an account sells. Accounts that were made on demand sell what the demo account sells. */
export const offersOf = (accountId: string): readonly Offer[] =>
  businesses.find((business) => business.accountId === accountId)?.offers ?? businesses[0].offers;
