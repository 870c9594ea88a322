/** The counts of money of a deployed function. Both throw Error at cold start if a variable is missing. */
import { createDueMoneyStore } from "../detection/money/due-money-store.ts";
import { createWatchMoney } from "../detection/money/watch-money.ts";
import { createFraudWarningStore } from "../money/fraud-warning-store.ts";
import { moneyEventsOf } from "../money/money.ts";
import { createMoneyStore, type MoneyStore } from "../money/money-store.ts";
import { createReadMoney } from "../money/read-money.ts";
import type { ProviderEvent } from "../provider/provider.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { openTable } from "../runtime/open-table.ts";
import { raiseFinding, ruleSettings } from "./recorder.ts";

const wireMoneyStore = (): MoneyStore => createMoneyStore(openTable("detection"));

/**
 * Counts the events about money that the provider created after the connect (epoch ms), and has their rules follow.
 * @param from.webhooks whether the events came by webhooks, whose deliveries are recorded with LOW.
 */
export const wireCountMoney = (from: { webhooks: boolean }) => {
  const config = readConfig(["SECURITY_LOG_LEVEL"]);
  const money = wireMoneyStore();
  const watch = createWatchMoney({
    warnings: createFraudWarningStore(openTable("detection")),
    marks: createDueMoneyStore(openTable("detection"), { newToken: newRequestToken }),
    settings: ruleSettings,
    raise: raiseFinding,
    marksOpenHours: !from.webhooks || config.SECURITY_LOG_LEVEL !== "LOW",
    now: systemClock,
  });
  return async (organizationId: string, events: readonly ProviderEvent[], connectedAt: number): Promise<void> => {
    const counted = moneyEventsOf(events, connectedAt);
    await money.count(organizationId, counted);
    await watch(organizationId, counted);
  };
};

export const wireReadMoney = () => createReadMoney({ money: wireMoneyStore(), clock: systemClock });
