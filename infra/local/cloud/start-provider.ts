import type { Poller } from "../control/advance-clock.ts";
import { platformEnvironment } from "../control/control-platform.ts";
import type { Activity } from "../core/activity.ts";
import type { Clock } from "../core/clock.ts";
import { LOCAL_PLATFORM, type Platform } from "../core/platform.ts";
import type { JsonRoutes } from "../http/json-server.ts";
import { type ProviderSimulator, startProviderSimulator } from "../provider/simulator.ts";
import type { LocalCloudOptions } from "./local-cloud-options.ts";

export type RunningProvider = {
  url: string;
  /** The variables that functions receive. */
  environment: Readonly<Record<string, string>>;
  /** The control server may change its secrets. */
  platform: Platform;
  controlRoutes: JsonRoutes;
  pollers: readonly Poller[];
  demo: ProviderSimulator["demo"] | undefined;
  /** Has the simulator send the platform's webhooks to this URL. */
  setPlatformUrl(url: string): void;
};

const environmentOf = (url: string, authorizeUrl: string, platform: Platform) => ({
  PROVIDER_API_URL: url,
  PROVIDER_AUTHORIZE_URL: authorizeUrl,
  ...platformEnvironment(platform),
});

/** The payment provider that functions call: the simulator, unless another server is named. */
export const startProvider = async (
  options: Pick<
    LocalCloudOptions,
    "dataDirectory" | "providerApiUrl" | "providerOauth" | "platformWebhookSecret" | "providerRateLimit"
  > & {
    clock: Clock;
    activity: Activity;
    /** The API's URL, whose console is the address that the platform has registered. */
    apiUrl: string | undefined;
    onError: (error: unknown) => void;
    onStop: (stop: () => unknown) => void;
  },
): Promise<RunningProvider> => {
  const { providerApiUrl, providerOauth, platformWebhookSecret: webhookSecret, ...others } = options;
  const { providerRateLimit: rateLimit, onStop, apiUrl, ...around } = others;
  if (providerApiUrl !== undefined) {
    const platform = { clientId: providerOauth?.clientId ?? "", secret: providerOauth?.secret, webhookSecret };
    return {
      url: providerApiUrl,
      environment: environmentOf(providerApiUrl, `${providerApiUrl}/oauth/v2/authorize`, platform),
      platform,
      controlRoutes: {},
      pollers: [],
      demo: undefined,
      setPlatformUrl: () => undefined,
    };
  }
  const platform: Platform = { ...LOCAL_PLATFORM, ...providerOauth, ...(webhookSecret && { webhookSecret }) };
  const registeredRedirect = apiUrl && `${apiUrl}/console/connection`;
  const simulator = await startProviderSimulator({
    ...around,
    platform,
    registeredRedirect,
    ...(rateLimit && { rateLimit }),
  });
  onStop(() => simulator.close());
  const { url, authorizeUrl, controlRoutes, demo, setPlatformUrl } = simulator;
  const environment = environmentOf(url, authorizeUrl, platform);
  return { url, environment, platform, controlRoutes, pollers: [simulator], demo, setPlatformUrl };
};
