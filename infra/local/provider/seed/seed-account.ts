import { createRandom } from "../../core/random.ts";
import { isA, type ObjectType, type StoredObject } from "../objects/objects.ts";
import { createCustomer } from "../operations/customers.ts";
import { createLedger } from "../operations/ledger.ts";
import type { NewEvent } from "../store/event-table.ts";
import type { Offer } from "./businesses.ts";
import { type Claims, claimCharge } from "./charge-history.ts";
import { simulateCustomer } from "./customer-history.ts";
import { simulatePayouts } from "./payout-history.ts";
import { generatePerson } from "./people.ts";

/** The types that count for the size of an account. */
const COUNTED: readonly ObjectType[] = ["customer", "subscription", "invoice", "payment_intent"];

/** How long ago customers without purchases were created, at most. */
const RECENT_SECONDS = 30 * 86_400;

export type History = { objects: StoredObject[]; events: NewEvent[] };

/**
 * The history of a business, one customer at a time: the same for the same seed but for the times, which end now.
 * Either of this many customers, or of exactly this many customers, subscriptions, invoices and payments in all, with claims
 * for each charge.
 */
export function* historyOf(options: {
  seed: string;
  currency: string;
  offers: readonly Offer[];
  nowSeconds: number;
  /** How far back events are made. Epoch seconds. */
  eventsSince: number;
  size: { customers: number } | { objects: number; claims?: Claims | undefined };
}): Generator<History> {
  const { seed, nowSeconds, size } = options;
  const [random, ids] = [createRandom(`${seed} history`), createRandom(`${seed} ids`)];
  const ledger = createLedger({
    newId: (prefix, letters = 14) => prefix + ids.letters(letters),
    load: () => undefined,
    eventsSince: options.eventsSince,
  });
  const history = { ledger, random, nowSeconds };
  if ("customers" in size) {
    for (let customer = 0; customer < size.customers; customer++) {
      simulateCustomer(history, options);
      yield ledger.take();
    }
    simulatePayouts(history, options.currency);
    yield ledger.take();
    return;
  }
  let left = size.objects;
  while (left > 0) {
    simulateCustomer(history, options);
    let one = ledger.take();
    const counted = one.objects.filter(({ object, deleted }) => COUNTED.includes(object) && !deleted).length;
    // If the history does not fit any more, add a customer without purchases instead.
    if (counted > left) {
      ledger.at = nowSeconds - 60 - random.int(RECENT_SECONDS);
      createCustomer(ledger, { ...generatePerson(random), currency: options.currency });
      one = ledger.take();
      left--;
    } else left -= counted;
    yield one;
    if (size.claims === undefined) continue;
    for (const object of one.objects) if (isA(object, "charge")) claimCharge(history, object, size.claims);
    yield ledger.take();
  }
}
