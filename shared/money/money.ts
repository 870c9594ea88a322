/**
 * Counts of an organization's money, from the provider's events: each event once, by its id, into the hour and day of the
 * provider's time. money-store.ts has the stored form. Lists of full runs count nothing. docs/money.md.
 */
import type { MoneyFact } from "../provider/money-fact.ts";
import type { ProviderEvent } from "../provider/provider.ts";
import { isSinceConnect } from "../provider/since-connect.ts";

/** A counted event. */
export type MoneyEvent = Pick<ProviderEvent, "id" | "createdSeconds"> & { money: MoneyFact };

/** The provider's time, epoch ms. */
export const timeOf = ({ createdSeconds }: MoneyEvent): number => createdSeconds * 1_000;

/** The events about money since the connect. @param connectedAt epoch ms. */
export const moneyEventsOf = (events: readonly ProviderEvent[], connectedAt: number): MoneyEvent[] =>
  events.flatMap((event) => {
    const { id, createdSeconds, money } = event;
    return money !== undefined && isSinceConnect(connectedAt, event) ? [{ id, createdSeconds, money }] : [];
  });
