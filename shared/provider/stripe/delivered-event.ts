/** An event as a webhook brings it: what the feed says, and whose it is. Pure. */
import * as z from "zod/mini";
import type { ProviderEvent } from "../provider.ts";
import { parseProviderEvent } from "./events.ts";
import { text } from "./tolerant.ts";

const Owned = z.object({ account: text });

/**
 * Reads an event.
 * @param payload parsed JSON of any kind.
 * @returns undefined where it is no event. `accountId` where it names one: an event of a connected account does.
 */
export const parseDeliveredEvent = (payload: unknown): (ProviderEvent & { accountId?: string }) | undefined => {
  const event = parseProviderEvent(payload);
  if (event === undefined) return undefined;
  const { account } = Owned.parse(payload);
  return { ...event, ...(account !== null && { accountId: account }) };
};
