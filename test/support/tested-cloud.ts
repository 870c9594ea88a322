import { type LocalCloud, startLocalCloud } from "../../infra/local/cloud/local-cloud.ts";
import type { LocalCloudOptions } from "../../infra/local/cloud/local-cloud-options.ts";
import { givenEndpoint, startNamespace } from "./test-dynamodb.ts";

/** Starts a local cloud. On the given server, local clouds with the same data directory have the same tables. */
export const startTestedCloud = async (options: LocalCloudOptions): Promise<LocalCloud> => {
  const endpoint = givenEndpoint();
  if (endpoint === undefined) return startLocalCloud(options);
  const namespace = await startNamespace(endpoint, options.dataDirectory);
  try {
    const cloud = await startLocalCloud({ dynamodbEndpoint: namespace.endpoint, ...options });
    return { ...cloud, stop: () => cloud.stop().finally(namespace.stop) };
  } catch (error) {
    await namespace.stop();
    throw error;
  }
};
