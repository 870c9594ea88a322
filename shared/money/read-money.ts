import type { Clock } from "../runtime/clock.ts";
import { DAY_MS } from "../terms/hours.ts";
import type { MoneyDay } from "./money.ts";
import { BASELINE_DAYS, moneyRows } from "./money-days.ts";
import type { MoneyStore } from "./money-store.ts";

/** The rows of GET …/money. @throws DomainError `store_unavailable`. */
export const createReadMoney =
  ({ money, clock }: { money: Pick<MoneyStore, "readDays">; clock: Clock }) =>
  async (organizationId: string, days: number): Promise<MoneyDay[]> => {
    const now = clock();
    const stored = await money.readDays(organizationId, now - (days - 1 + BASELINE_DAYS) * DAY_MS);
    return moneyRows(stored, days, now);
  };
