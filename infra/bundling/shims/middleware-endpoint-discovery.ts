/** Replaces the SDK's endpoint discovery, which only a client with enabled discovery uses. */

/** The configuration that document-client.ts sets to a constant. */
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: () => undefined,
  configFileSelector: () => undefined,
  default: undefined,
};

export const resolveEndpointDiscoveryConfig = <Config>(config: Config): Config => config;
