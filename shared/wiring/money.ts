/** The counts of money of a deployed function. Both throw Error at cold start if a variable is missing. */
import { moneyEventsOf } from "../money/money.ts";
import { createMoneyStore, type MoneyStore } from "../money/money-store.ts";
import { createReadMoney } from "../money/read-money.ts";
import type { ProviderEvent } from "../provider/provider.ts";
import { systemClock } from "../runtime/clock.ts";
import { openTable } from "../runtime/open-table.ts";

const wireMoneyStore = (): MoneyStore => createMoneyStore(openTable("detection"));

/** Counts the events about money that the provider created after the connect (epoch ms). */
export const wireCountMoney = () => {
  const money = wireMoneyStore();
  return (organizationId: string, events: readonly ProviderEvent[], connectedAt: number): Promise<void> =>
    money.count(organizationId, moneyEventsOf(events, connectedAt));
};

export const wireReadMoney = () => createReadMoney({ money: wireMoneyStore(), clock: systemClock });
