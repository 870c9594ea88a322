import * as z from "zod";
import type { Activity } from "../core/activity.ts";
import { createRandom } from "../core/random.ts";
import { type JsonAnswer, type JsonRequest, type JsonRoutes, refuse } from "../http/json-server.ts";
import { ChangeRequest, ImpossibleChangeError } from "./changes/change-request.ts";
import type { Changes } from "./changes/changes.ts";
import type { Faults } from "./faults/faults.ts";
import { Fault } from "./faults/faults.ts";
import { businesses } from "./seed/businesses.ts";
import { createAccount } from "./seed/create-account.ts";
import type { AccountRow } from "./store/account-table.ts";
import { NewActivity } from "./store/activity-table.ts";
import type { Store } from "./store/store.ts";
import { Endpoint } from "./webhooks/endpoint.ts";
import type { WebhookSender } from "./webhooks/sender.ts";
import { type RateLimiter, RateLimits } from "./wire/rate-limits.ts";
import type { RequestCountsKeeper } from "./wire/request-counts.ts";

const NewAccount = z.strictObject({
  /** Customers, subscriptions, invoices and payments together; charges and the like come on top. */
  objects: z.int().min(1).max(1_000_000),
  /** The number of days that its event feed covers. */
  eventDays: z.int().min(0).max(30).default(1),
  seed: z.union([z.int(), z.string()]).transform(String).default("account"),
  /** Of each charge, in addition to the few that the history has. */
  claims: z
    .strictObject({
      refundsPerCharge: z.int().min(0).max(20).default(0),
      disputesPerCharge: z.int().min(0).max(20).default(0),
    })
    .optional(),
});

const accountId = z.string().optional();
const Webhooks = z.union(
  [
    z.strictObject({ accountId, url: z.null() }),
    Endpoint.partial({ secrets: true }).extend({ accountId, secret: z.string().min(1).optional() }),
  ],
  { error: 'expected {"url": …} with what belongs to it, or {"url": null}' },
);

/** Deliveries that one answer shows. */
const MAX_SHOWN = 100;

/** Runs the work on a body that the schema accepts; otherwise answers 400 with the wrong field and the reason. */
const accepting =
  <Schema extends z.ZodType>(schema: Schema, work: (input: z.output<Schema>) => JsonAnswer | Promise<JsonAnswer>) =>
  ({ body }: JsonRequest) => {
    const parsed = schema.safeParse(body ?? {});
    return parsed.success ? work(parsed.data) : refuse(400, z.prettifyError(parsed.error));
  };

/** The routes of the control server under `/provider`: they show the simulator, change it and make it fail. */
export const providerRoutes = (options: {
  url: () => string;
  store: Store;
  faults: Faults;
  rateLimiter: RateLimiter;
  counts: RequestCountsKeeper;
  changes: Changes;
  sender: WebhookSender;
  activity: Pick<Activity, "idle">;
  now: () => number;
}): JsonRoutes => {
  const { url, store, faults, rateLimiter, counts, changes, sender, activity, now } = options;
  const { accounts, objects, events, deliveries } = store;

  const withAccount = (
    id: string | undefined,
    work: (account: AccountRow) => JsonAnswer | Promise<JsonAnswer>,
  ): JsonAnswer | Promise<JsonAnswer> => {
    const account = accounts.byAccountId(id ?? businesses[0].accountId);
    const known = accounts.list().map(({ account_id }) => account_id);
    return account === undefined
      ? refuse(404, `there is no account ${id}; there are: ${known.join(", ")}`)
      : work(account);
  };

  const shownAccount = (account: AccountRow) => {
    const endpoint = sender.endpointOf(account.id);
    return {
      accountId: account.account_id,
      apiKey: account.api_key,
      name: account.name,
      apiVersion: account.api_version,
      objects: objects.counts(account.id),
      events: events.count(account.id),
      ...(endpoint !== undefined && { webhooks: endpoint }),
    };
  };

  const shownDelivery = (delivery: ReturnType<typeof deliveries.list>[number]) => ({
    accountId: accounts.byId(delivery.account)?.account_id,
    event: delivery.event,
    ...(delivery.to_platform === 1 && { toPlatform: true }),
    dueAt: delivery.due_at,
    attempts: delivery.attempts,
    ...(delivery.problem !== null && { problem: delivery.problem }),
  });

  return {
    "GET /provider": () => ({
      status: 200,
      body: {
        url: url(),
        accounts: accounts.list().map(shownAccount),
        requests: counts.all(),
        faults: faults.list().map(({ id, fault, seen, hits }) => ({ id, ...fault, seen, hits })),
        rateLimits: rateLimiter.limits(),
        pendingDeliveries: sender.pending(),
        deliveries: deliveries.list(MAX_SHOWN).map(shownDelivery),
      },
    }),
    "POST /provider/faults": accepting(Fault, (fault) =>
      fault.accountId === undefined
        ? { status: 200, body: { id: faults.add(fault) } }
        : withAccount(fault.accountId, () => ({ status: 200, body: { id: faults.add(fault) } })),
    ),
    "DELETE /provider/faults": ({ query }) => {
      const id = query.get("id");
      return { status: 200, body: { cleared: faults.clear(id === null ? undefined : Number(id)) } };
    },
    "POST /provider/rate-limits": accepting(RateLimits, (limits) => {
      rateLimiter.set(limits);
      return { status: 200, body: limits };
    }),
    "POST /provider/changes": accepting(ChangeRequest, (request) =>
      withAccount(request.accountId, async (account) => {
        try {
          const { objects: changed, events: happened } = changes.make(account, request);
          await activity.idle();
          return { status: 200, body: { accountId: account.account_id, objects: changed, events: happened } };
        } catch (error) {
          if (error instanceof ImpossibleChangeError) return refuse(error.status, error.message);
          throw error;
        }
      }),
    ),
    "POST /provider/activity": accepting(NewActivity, (input) =>
      withAccount(input.accountId, (account) => {
        const { accountId: _, listedAfterMs, occurredAt = now(), ...entry } = input;
        const id = store.activity.insert(account, entry, { occurredAt, listedAt: occurredAt + listedAfterMs });
        return { status: 200, body: { accountId: account.account_id, id } };
      }),
    ),
    "POST /provider/accounts": accepting(NewAccount, async (input) => ({
      status: 200,
      body: await createAccount(store, { ...input, nowSeconds: Math.floor(now() / 1000) }),
    })),
    "POST /provider/webhooks": accepting(Webhooks, (input) =>
      withAccount(input.accountId, (account) => {
        if (input.url === null) {
          sender.setEndpoint(account.id, undefined);
          return { status: 200, body: { accountId: account.account_id, url: null } };
        }
        const { accountId: _, secret, secrets, ...rest } = input;
        const invented = `whsec_${createRandom(`webhooks ${account.account_id}`).letters(32)}`;
        const endpoint = { ...rest, secrets: secrets ?? [secret ?? invented] };
        sender.setEndpoint(account.id, endpoint);
        return { status: 200, body: { accountId: account.account_id, ...endpoint } };
      }),
    ),
    "POST /provider/webhooks/flush": async () => {
      await sender.flush();
      await activity.idle();
      return { status: 200, body: { pendingDeliveries: sender.pending() } };
    },
  };
};
