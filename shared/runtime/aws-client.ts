/** Settings that the clients of all AWS services share. */

import type { Agent } from "node:https";
import { readConfig } from "./config.ts";

/** The endpoint of an AWS service, and the credentials of the function. */
export type AwsPlace = {
  region: string;
  endpoint: string;
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
};

/**
 * Reads endpoint and credentials of a service from the environment, so that the SDK's client does not search files or
 * instance metadata. Lambda replaces an instance before its credentials expire.
 * @param service as in the host name of its public endpoint.
 */
export const readAwsPlace = (service: string): AwsPlace => {
  const config = readConfig([
    "AWS_REGION",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_ENDPOINT_URL",
    "URL_SUFFIX",
  ]);
  return {
    region: config.AWS_REGION,
    endpoint: config.AWS_ENDPOINT_URL ?? `https://${service}.${config.AWS_REGION}.${config.URL_SUFFIX}`,
    credentials: {
      accessKeyId: config.AWS_ACCESS_KEY_ID,
      secretAccessKey: config.AWS_SECRET_ACCESS_KEY,
      ...(config.AWS_SESSION_TOKEN !== undefined && { sessionToken: config.AWS_SESSION_TOKEN }),
    },
  };
};

export const CONNECTION_TIMEOUT_MS = 500;

/** Settings that the SDK would otherwise search for in files, instance metadata or the environment at a cold start. */
export const fixedSettings = {
  retryMode: "standard",
  defaultsMode: "standard",
  useFipsEndpoint: false,
  useDualstackEndpoint: false,
  authSchemePreference: [] as string[],
  disableClockSkewCorrection: false,
  userAgentAppId: async () => undefined,
} as const;

/** Time-outs of connecting and of each attempt, so that a hanging service does not hang the function. */
export const boundedRequests = (httpsAgent: Agent, requestTimeout: number) => ({
  httpsAgent,
  connectionTimeout: CONNECTION_TIMEOUT_MS,
  requestTimeout,
  throwOnRequestTimeout: true,
});
