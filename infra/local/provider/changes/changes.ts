import { createRandom } from "../../core/random.ts";
import type { ObjectType } from "../objects/objects.ts";
import { createLedger } from "../operations/ledger.ts";
import type { AccountRow } from "../store/account-table.ts";
import { type Cause, FEED_SECONDS, type NewEvent } from "../store/event-table.ts";
import type { Store } from "../store/store.ts";
import type { WebhookSender } from "../webhooks/sender.ts";
import { type Action, type ChangeRequest, ImpossibleChangeError, type OneChange } from "./change-request.ts";
import { makeChange } from "./make-change.ts";
import { pickRandomChange } from "./random-changes.ts";
import type { ChangeContext } from "./targets.ts";

/** The objects that changes wrote, and their events, in order. */
export type Changed = {
  objects: { object: ObjectType; id: string }[];
  events: Pick<NewEvent, "id" | "type" | "created">[];
};

/** Changes to accounts: objects, events and pending webhook deliveries are written in one transaction. */
export const createChanges = (options: {
  store: Store;
  sender: Pick<WebhookSender, "queue" | "poll">;
  platform: { clientId: string };
  now: () => number;
}) => {
  const { store, sender, platform, now } = options;
  const { accounts, objects, events, grants, database } = store;

  /** @param choices the seed of random choices. */
  const write = (
    account: AccountRow,
    choices: string,
    work: (context: ChangeContext) => void,
    cause?: Cause,
  ): Changed => {
    const { changes = 0 } = accounts.byId(account.id) ?? {};
    const ids = createRandom(`${account.account_id} change ${changes}`);
    const ledger = createLedger({
      newId: (prefix, letters = 14) => prefix + ids.letters(letters),
      load: (id) => objects.find(account.id, id),
      eventsSince: 0,
    });
    ledger.at = Math.floor(now() / 1000);
    work({ store, account, ledger, random: createRandom(`${account.account_id} ${choices}`) });
    const written = ledger.take();
    for (const object of written.objects) objects.put(account.id, object);
    for (const event of written.events) events.insert(account.id, event, cause);
    accounts.countChange(account.id);
    return {
      objects: written.objects.map(({ object, id }) => ({ object, id })),
      events: written.events.map(({ id, type, created }) => ({ id, type, created })),
    };
  };

  const publishApplicationEvent = (account: AccountRow, type: string) =>
    write(account, type, ({ ledger }) => {
      const application = { id: platform.clientId, object: "application", name: "Local platform" };
      ledger.emit(type, platform.clientId, application);
    });

  const one = (account: AccountRow, change: OneChange): Changed => {
    if (change.action !== "deauthorize") {
      const { action } = change;
      return write(account, `seed ${change.seed}`, (context) => makeChange(context, { ...change, action }));
    }
    grants.removeAllOf(account.id);
    return publishApplicationEvent(account, "account.application.deauthorized");
  };

  const invented = (account: AccountRow, choices: string): Changed => {
    try {
      return write(account, choices, (context) => makeChange(context, pickRandomChange(context)));
    } catch (error) {
      if (!(error instanceof ImpossibleChangeError)) throw error;
      const action: Action = "create_customer";
      const change = { action, seed: 0, fields: {}, atPeriodEnd: false } as const;
      return write(account, choices, (context) => makeChange(context, change));
    }
  };

  const together = (account: AccountRow, work: () => Changed[]): Changed => {
    const changed = database.transaction(() => {
      // A deauthorization is among the events, and removes the tokens.
      const hadTokens = grants.hasTokens(account.id);
      const all = work();
      const happened = all.flatMap((one) => one.events);
      sender.queue(account.id, happened, { toPlatform: hadTokens });
      events.removeBefore(account.id, Math.floor(now() / 1000) - FEED_SECONDS);
      return { objects: all.flatMap((one) => one.objects), events: happened };
    });
    sender.poll();
    return changed;
  };

  return {
    /**
     * Does the work of a request to the provider's API, and writes what its ledger collected, in one transaction.
     * An error of the work undoes everything.
     */
    perform<Result>(account: AccountRow, cause: Cause, work: (context: ChangeContext) => Result): Result {
      const results: Result[] = [];
      together(account, () => [write(account, "request", (context) => void results.push(work(context)), cause)]);
      return results[0] as Result;
    },
    /** Makes one change, or this many by chance; all happen now. @throws ImpossibleChangeError and then changes nothing. */
    make: (account: AccountRow, request: ChangeRequest): Changed =>
      together(account, () =>
        "action" in request
          ? [one(account, request)]
          : Array.from({ length: request.count }, (_, index) => invented(account, `seed ${request.seed} ${index}`)),
      ),
    /** Publishes that an account has authorized the platform. */
    authorized: (account: AccountRow): Changed =>
      together(account, () => [publishApplicationEvent(account, "account.application.authorized")]),
  };
};

export type Changes = ReturnType<typeof createChanges>;
