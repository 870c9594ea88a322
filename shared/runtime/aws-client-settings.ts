/** What all clients of AWS have in common. */
import type { Agent } from "node:https";

export const CONNECTION_TIMEOUT_MS = 500;

/** What the SDK would else look for in files, in instance metadata or in the environment, which a cold start would pay for. */
export const fixedSettings = {
  retryMode: "standard",
  defaultsMode: "standard",
  useFipsEndpoint: false,
  useDualstackEndpoint: false,
  authSchemePreference: [] as string[],
  disableClockSkewCorrection: false,
  userAgentAppId: async () => undefined,
} as const;

/** A service that hangs must not hang the function: connecting and each attempt are bounded. */
export const boundedRequests = (httpsAgent: Agent, requestTimeout: number) => ({
  httpsAgent,
  connectionTimeout: CONNECTION_TIMEOUT_MS,
  requestTimeout,
  throwOnRequestTimeout: true,
});
