import { setImmediate } from "node:timers/promises";
import { createRandom } from "../../core/random.ts";
import { API_VERSION } from "../objects/objects.ts";
import type { NewAccount } from "../store/account-table.ts";
import { FEED_SECONDS } from "../store/event-table.ts";
import type { Store } from "../store/store.ts";
import { type Business, businesses, type Offer } from "./businesses.ts";
import type { Claims } from "./charge-history.ts";
import { type History, historyOf } from "./seed-account.ts";

/** The age of an account's history. */
const AGE_SECONDS = 600 * 86_400;
/** Objects per transaction; other work runs between two transactions. */
const BATCH = 5_000;

const write = ({ objects, events }: Store, account: number, history: History) => {
  for (const object of history.objects) objects.put(account, object);
  for (const event of history.events) events.insert(account, event);
};

const rowOf = (business: Business, nowSeconds: number): NewAccount => ({
  account_id: business.accountId,
  api_key: business.apiKey,
  name: business.name,
  country: business.country,
  currency: business.currency,
  api_version: API_VERSION,
  created: nowSeconds - AGE_SECONDS,
});

/** Adds the businesses that the simulator has from the start, unless it has them; all in one transaction. */
export const seedBusinesses = (store: Store, nowSeconds: number): void => {
  if (store.accounts.countAll() > 0) return;
  store.database.transaction(() => {
    for (const business of businesses) {
      const account = store.accounts.insert(rowOf(business, nowSeconds));
      const size = { customers: business.customers };
      const eventsSince = nowSeconds - FEED_SECONDS;
      const { accountId: seed, currency, offers } = business;
      for (const history of historyOf({ seed, currency, offers, nowSeconds, eventsSince, size }))
        write(store, account, history);
      store.accounts.ready(account);
    }
  });
};

/**
 * Adds an account with the given number of customers, subscriptions, invoices and payments. It becomes visible when it
 * is complete.
 * The first, second … account are the same for the same seed, but for the times.
 */
export const createAccount = async (
  store: Store,
  options: { objects: number; claims?: Claims | undefined; eventDays: number; seed: string; nowSeconds: number },
): Promise<{ accountId: string; apiKey: string }> => {
  const { objects, claims, eventDays, nowSeconds } = options;
  const seed = `${options.seed} ${store.accounts.countAll() + 1}`;
  const letters = createRandom(seed).letters(16);
  const [accountId, apiKey] = [`acct_1${letters}`, `sk_test_${letters}`];
  const offers: readonly Offer[] = businesses[0].offers;
  const business = { accountId, apiKey, name: `Business ${letters}`, country: "DE", currency: "eur" };
  const account = store.accounts.insert(rowOf({ ...business, customers: 0, offers }, nowSeconds));
  const eventsSince = nowSeconds - eventDays * 86_400;
  const histories = historyOf({ ...business, seed, offers, nowSeconds, eventsSince, size: { objects, claims } });
  for (let next = histories.next(); !next.done; ) {
    store.database.transaction(() => {
      for (let written = 0; !next.done && written < BATCH; next = histories.next()) {
        write(store, account, next.value);
        written += next.value.objects.length;
      }
    });
    await setImmediate();
  }
  store.accounts.ready(account);
  return { accountId, apiKey };
};
