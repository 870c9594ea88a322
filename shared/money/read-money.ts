import type { Clock } from "../runtime/clock.ts";
import type { MoneyDay } from "./money-day.ts";
import { moneyRows } from "./money-days.ts";
import type { MoneyStore } from "./money-store.ts";

/** The rows of GET …/money. @throws DomainError `store_unavailable`. */
export const createReadMoney =
  ({ money, clock }: { money: Pick<MoneyStore, "readDays">; clock: Clock }) =>
  async (organizationId: string, days: number): Promise<MoneyDay[]> => {
    const now = clock();
    return moneyRows(await money.readDays(organizationId), days, now);
  };
