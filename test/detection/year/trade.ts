import type { MoneyEvent } from "../../../shared/money/money.ts";
import { DAY, HOUR } from "../events.ts";
import { createMoneyEvents } from "../money-events.ts";
import type { Dice } from "./dice.ts";
import type { Profile } from "./profiles.ts";

/** The rhythm of customers: few at night, more in the evening and before Christmas. */
const rhythm = (time: number): number => {
  const hour = (time % DAY) / HOUR;
  const byDay = hour < 6 ? 0.2 : hour < 18 ? 1 : 1.6;
  const month = new Date(time).getUTCMonth();
  return byDay * (month === 10 || month === 11 ? 1.5 : 1);
};

/** Subscriptions are billed in the first hour of a month's first day: twenty hours' payments at once. */
const billed = (time: number): number => (new Date(time).getUTCDate() === 1 && time % DAY === 0 ? 20 : 0);

const FAILED_SHARE = 0.06;
const REFUNDED_SHARE = 0.02;
const DISPUTED_SHARE = 0.000_8;

/**
 * An organization's honest payments, hour by hour: some fail, more of them on the day of billing; some are refunded; a
 * return wave follows Christmas; few are disputed, and no issuer warns.
 */
export const createTrade = (profile: Profile, dice: Dice) => {
  const made = createMoneyEvents(`${profile.name}_`);
  return (hourStart: number): MoneyEvent[] => {
    const at = () => hourStart + dice.integer(0, HOUR - 1);
    const times = <Value>(rate: number, make: () => Value): Value[] => Array.from({ length: dice.poisson(rate) }, make);
    const paid = profile.payments * (rhythm(hourStart) + billed(hourStart));
    const date = new Date(hourStart);
    const returns = date.getUTCMonth() === 0 && date.getUTCDate() < 15 ? 2 : 1;
    return [
      ...times(paid, () => made.succeeded(at(), { amount: dice.chance(0.1) ? 400 : dice.integer(600, 9_000) })),
      ...times(paid * FAILED_SHARE * dice.integer(1, 2), () =>
        made.failed(at(), dice.chance(0.3) ? { failureCode: "authentication_required" } : {}),
      ),
      ...times(profile.payments * rhythm(hourStart) * REFUNDED_SHARE * returns, () =>
        made.refund(at(), dice.integer(600, 9_000)),
      ),
      ...times(profile.payments * rhythm(hourStart) * DISPUTED_SHARE, () => made.dispute(at())),
    ];
  };
};
