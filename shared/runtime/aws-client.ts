/** Settings that the clients of all AWS services share. */

import type { Agent } from "node:https";
import { readConfig } from "./config.ts";

/** Where a service of AWS is, and as whom a function speaks to it. */
export type AwsPlace = {
  region: string;
  endpoint: string;
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
};

/**
 * The place of a service for this function, from its environment: with it, an SDK's client looks for nothing in files
 * or in instance metadata. Lambda replaces an instance before its credentials expire, so they need no provider.
 * @param service as in the host name of its public endpoint.
 */
export const readAwsPlace = (service: string): AwsPlace => {
  const config = readConfig([
    "AWS_REGION",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_ENDPOINT_URL",
  ]);
  return {
    region: config.AWS_REGION,
    endpoint: config.AWS_ENDPOINT_URL ?? `https://${service}.${config.AWS_REGION}.amazonaws.com`,
    credentials: {
      accessKeyId: config.AWS_ACCESS_KEY_ID,
      secretAccessKey: config.AWS_SECRET_ACCESS_KEY,
      ...(config.AWS_SESSION_TOKEN !== undefined && { sessionToken: config.AWS_SESSION_TOKEN }),
    },
  };
};

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
