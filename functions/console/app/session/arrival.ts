/** How the page was opened: perhaps by a return from the issuer, which the first script begins to complete. */
import { createIdentity, type Identity, type Returned } from "./identity.ts";
import { readSettings } from "./settings.ts";

type Arrival = {
  issuer: string;
  /** Undefined if the deployment names no client for the console. */
  identity: Identity | undefined;
  /** The page's address as it was opened. */
  url: URL;
  /** Undefined if it is no return from the issuer that this tab asked for. */
  returned: Promise<Returned | undefined>;
};

let begun: Arrival | undefined;

const begin = (): Arrival => {
  const { clientId, ...settings } = readSettings();
  const url = new URL(location.href);
  const identity =
    clientId === null ? undefined : createIdentity({ ...settings, clientId }, `${location.origin}/console`);
  return { issuer: settings.issuer, identity, url, returned: identity?.complete(url) ?? Promise.resolve(undefined) };
};

export const arrive = (): void => {
  begun = begin();
};

/** What the first script has begun, once. */
export const takeArrival = (): Arrival => {
  const arrival = begun ?? begin();
  begun = undefined;
  return arrival;
};
