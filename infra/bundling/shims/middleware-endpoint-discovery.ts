/** Stands in for the SDK's endpoint discovery, which only a client that was told to discover would use. */

/** What document-client.ts gives a constant for. */
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: () => undefined,
  configFileSelector: () => undefined,
  default: undefined,
};

export const resolveEndpointDiscoveryConfig = <Config>(config: Config): Config => config;
