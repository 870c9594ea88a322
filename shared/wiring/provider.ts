/** The access to the provider in a deployed function. */

import { createBaselineStore } from "../detection/baseline-store.ts";
import { createOperationFactsStore } from "../detection/event-facts-store.ts";
import { createLatencyObserver } from "../detection/observe-latency.ts";
import { createWindowStore } from "../detection/window-store.ts";
import { createProviderAccess } from "../provider/create-provider-access.ts";
import type { ActivityLogAdapter, ProviderAccess } from "../provider/provider.ts";
import { createRateStore } from "../provider/rate-store.ts";
import { createReadCountStore, createReadCounts } from "../provider/read-count-store.ts";
import type { LatencyObserver, OnRefused } from "../provider/record-operation.ts";
import { createStripeAdapter, type StripeSettings } from "../provider/stripe/adapter.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { openTable } from "../runtime/open-table.ts";
import { createCachedSecret, secretsManager } from "../runtime/secrets-manager.ts";
import { wireGuard } from "./circuit-breaker.ts";
import { raiseFinding, ruleSettings, wireRecorder } from "./recorder.ts";

/** Observes the latency of operations. @throws Error at cold start if the environment lacks a variable. */
const wireLatency = (): LatencyObserver => {
  const config = readConfig(["RETENTION_DAYS"]);
  const options = { retentionDays: config.RETENTION_DAYS };
  return createLatencyObserver({
    windows: createWindowStore(openTable("detection"), options),
    baselines: createBaselineStore(openTable("detection")),
    operations: createOperationFactsStore(openTable("securityEvents")),
    settings: ruleSettings,
    raise: raiseFinding,
    now: systemClock,
  });
};

type Parts = {
  /** Of the function that reads the account's activity. */
  activityLog?: (settings: StripeSettings) => ActivityLogAdapter;
  /** Of functions that work with stored credentials. */
  onRefused?: OnRefused;
};

/**
 * @throws Error at cold start if the environment lacks a variable.
 */
export const wireProviderAccess = ({ activityLog, onRefused }: Parts = {}): ProviderAccess => {
  const config = readConfig(["PROVIDER_API_URL", "PROVIDER_OAUTH_CLIENT_ID", "PROVIDER_OAUTH_SECRET_ARN"]);
  const { PROVIDER_OAUTH_CLIENT_ID: clientId, PROVIDER_OAUTH_SECRET_ARN: arn } = config;
  const settings = { url: config.PROVIDER_API_URL, clock: systemClock };
  const hasOAuth = clientId !== undefined && arn !== undefined;
  return createProviderAccess({
    adapter: createStripeAdapter(settings),
    activityLogAt: activityLog?.(settings),
    platform: hasOAuth ? createCachedSecret(() => secretsManager.readSecret(arn), systemClock) : undefined,
    guard: wireGuard(),
    recorder: wireRecorder(),
    latency: wireLatency(),
    onRefused,
    rate: createRateStore(openTable("syncRuns")),
    reads: createReadCounts({
      store: createReadCountStore(openTable("syncRuns")),
      clock: systemClock,
      newToken: newRequestToken,
    }),
  });
};
