import { createClientLocator } from "../http/client-address.ts";
import type { HandlerDependencies } from "../http/create-handler.ts";
import { readConfig } from "../runtime/config.ts";

/** What to trust of a CDN in front of the API; nothing if the deployment has none. */
export const wireClientLocator = (): Pick<HandlerDependencies, "locateClient"> => {
  const config = readConfig(["CLIENT_ADDRESS_HEADER", "ORIGIN_SECRET_HEADER", "ORIGIN_SECRET_HASHES"]);
  const { CLIENT_ADDRESS_HEADER: addressHeader, ORIGIN_SECRET_HEADER: secretHeader } = config;
  const { ORIGIN_SECRET_HASHES: secretHashes } = config;
  if (addressHeader === undefined || secretHeader === undefined || secretHashes === undefined) return {};
  return { locateClient: createClientLocator({ addressHeader, secretHeader, secretHashes }) };
};
