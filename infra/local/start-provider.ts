import type { Poller } from "./advance-clock.ts";
import type { Activity } from "./core/activity.ts";
import type { Clock } from "./core/clock.ts";
import type { JsonRoutes } from "./http/json-server.ts";
import type { LocalCloudOptions } from "./local-cloud-options.ts";
import { type ProviderSimulator, startProviderSimulator } from "./provider/simulator.ts";
import { LOCAL_PLATFORM, type Platform } from "./provider/wire/oauth.ts";

export type RunningProvider = {
  url: string;
  /** The variables that functions receive. */
  environment: Readonly<Record<string, string>>;
  controlRoutes: JsonRoutes;
  pollers: readonly Poller[];
  demo: ProviderSimulator["demo"] | undefined;
};

const environmentOf = (url: string, authorizeUrl: string, platform: Platform | undefined) => ({
  PROVIDER_API_URL: url,
  PROVIDER_AUTHORIZE_URL: authorizeUrl,
  PROVIDER_OAUTH_CLIENT_ID: platform?.clientId ?? "",
  PROVIDER_OAUTH_SECRET: platform?.secret ?? "",
});

/** The payment provider that functions call: the simulator, unless another server is named. */
export const startProvider = async (
  options: Pick<LocalCloudOptions, "dataDirectory" | "providerApiUrl" | "providerOauth"> & {
    clock: Clock;
    activity: Activity;
    onError: (error: unknown) => void;
    onStop: (stop: () => unknown) => void;
  },
): Promise<RunningProvider> => {
  const { providerApiUrl, providerOauth, onStop, ...around } = options;
  if (providerApiUrl !== undefined) {
    return {
      url: providerApiUrl,
      environment: environmentOf(providerApiUrl, `${providerApiUrl}/oauth/v2/authorize`, providerOauth),
      controlRoutes: {},
      pollers: [],
      demo: undefined,
    };
  }
  const oauth = providerOauth ?? LOCAL_PLATFORM;
  const simulator = await startProviderSimulator({ ...around, oauth });
  onStop(() => simulator.close());
  const { url, authorizeUrl, controlRoutes, demo } = simulator;
  return { url, environment: environmentOf(url, authorizeUrl, oauth), controlRoutes, pollers: [simulator], demo };
};
