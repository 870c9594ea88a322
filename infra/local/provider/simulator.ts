import { type Activity, createActivity } from "../core/activity.ts";
import type { Clock } from "../core/clock.ts";
import { LOCAL_PLATFORM, type Platform } from "../core/platform.ts";
import type { JsonRoutes } from "../http/json-server.ts";
import { createChanges } from "./changes/changes.ts";
import { providerRoutes } from "./control-routes.ts";
import { openFaults } from "./faults/faults.ts";
import { businesses } from "./seed/businesses.ts";
import { seedBusinesses } from "./seed/create-account.ts";
import { openStore } from "./store/store.ts";
import { createWebhookSender } from "./webhooks/sender.ts";
import { AUTHORIZE_PATH, createOAuth } from "./wire/oauth.ts";
import { createRateLimiter } from "./wire/rate-limits.ts";
import { createRequestCounts } from "./wire/request-counts.ts";
import { startWireServer } from "./wire/server.ts";

export type ProviderSimulator = {
  /** The base of the provider's API, without a trailing slash. */
  url: string;
  /** Where users grant access to the platform. */
  authorizeUrl: string;
  /** The demo account. */
  demo: { accountId: string; apiKey: string };
  /** To be merged into the control server's. */
  controlRoutes: JsonRoutes;
  /** The number of events that are still to be delivered. */
  pendingDeliveries(): number;
  /** When the next delivery is retried, in epoch milliseconds; `poll` sends what is due. For advancing the clock. */
  nextDueAt(): number | undefined;
  poll(): void;
  /** Sends the events of accounts that granted the platform access to this URL, from now on. */
  setPlatformUrl(url: string): void;
  close(): Promise<void>;
};

/**
 * Starts a stand-in for the payment provider: its wire protocol on a port of loopback, over businesses that do not
 * exist. Its data are in `provider.sqlite` of the data directory, generated at the first start.
 */
export const startProviderSimulator = async (options: {
  dataDirectory: string;
  clock: Pick<Clock, "now">;
  /** Deliveries under way count there, so that the clock waits for them. */
  activity?: Activity;
  platform?: Platform;
  /** The address to which the provider returns people who granted the platform access. */
  registeredRedirect?: string | undefined;
  /** Requests of an account within any second; more are refused. By default there is no limit. */
  rateLimit?: number;
  onError: (error: unknown) => void;
}): Promise<ProviderSimulator> => {
  const {
    dataDirectory,
    clock,
    activity = createActivity(),
    platform = LOCAL_PLATFORM,
    registeredRedirect,
    rateLimit = null,
    onError,
  } = options;
  const now = () => clock.now();
  const stopping = new AbortController();
  const store = openStore(dataDirectory);
  seedBusinesses(store, Math.floor(now() / 1000));

  const sender = createWebhookSender({ store, platform, now, activity, stopping: stopping.signal, onError });
  const changes = createChanges({ store, sender, platform, now });
  const oauth = createOAuth({
    store,
    platform,
    now,
    registeredRedirect,
    onAuthorized: (id) => {
      const account = store.accounts.byId(id);
      if (account !== undefined) changes.authorized(account);
    },
  });
  const faults = openFaults(store.database);
  const rateLimiter = createRateLimiter({ perSecond: rateLimit, perEndpoint: null });
  const counts = createRequestCounts();
  const server = await startWireServer({
    store,
    changes,
    oauth,
    faults,
    rateLimiter,
    counts,
    now,
    stopping: stopping.signal,
    onError,
  });
  sender.poll();
  const { accountId, apiKey } = businesses[0];
  return {
    url: server.url,
    authorizeUrl: `${server.url}${AUTHORIZE_PATH}`,
    demo: { accountId, apiKey },
    controlRoutes: providerRoutes({
      url: () => server.url,
      store,
      faults,
      rateLimiter,
      counts,
      changes,
      sender,
      activity,
      now,
    }),
    pendingDeliveries: sender.pending,
    nextDueAt: sender.nextDueAt,
    poll: sender.poll,
    setPlatformUrl: sender.setPlatformUrl,
    async close() {
      stopping.abort(new Error("the provider simulator is stopping"));
      await Promise.all([server.close(), sender.stop()]);
      store.database.close();
    },
  };
};
