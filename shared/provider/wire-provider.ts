/** The way to the provider of a deployed function. */
import { wireGuard } from "../circuit-breaker/wire-circuit-breaker.ts";
import { wireLatency } from "../detection/wire-latency.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { wireRecorder } from "../security/wire-recorder.ts";
import { createProviderAccess } from "./create-provider-access.ts";
import type { ProviderAccess } from "./provider-access.ts";
import { createReadCountStore } from "./read-count-store.ts";
import { createReadCounts } from "./read-counts.ts";
import { createStripeAdapter } from "./stripe/adapter.ts";

/** @throws Error at cold start where the environment lacks a variable. */
export const wireProviderAccess = (): ProviderAccess => {
  const config = readConfig([
    "SYNC_RUNS_TABLE_NAME",
    "PROVIDER_API_URL",
    "PROVIDER_OAUTH_CLIENT_ID",
    "PROVIDER_OAUTH_SECRET",
  ]);
  const { PROVIDER_OAUTH_CLIENT_ID: clientId, PROVIDER_OAUTH_SECRET: secret } = config;
  const oauth = clientId === undefined || secret === undefined ? undefined : { secret };
  return createProviderAccess({
    adapter: createStripeAdapter({ url: config.PROVIDER_API_URL, oauth, clock: systemClock }),
    guard: wireGuard(),
    recorder: wireRecorder(),
    latency: wireLatency(),
    reads: createReadCounts({
      store: createReadCountStore(documentClient, config.SYNC_RUNS_TABLE_NAME),
      clock: systemClock,
      newToken: newRequestToken,
    }),
  });
};
