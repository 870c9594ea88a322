import { DAY, HOUR } from "../events.ts";
import type { Dice } from "./dice.ts";

/** How an organization uses the API. `calls`: of an hour. `most`: more calls an hour are rare. `payments`: of an hour by day. */
export type Profile = {
  name: string;
  users: number;
  /** @param share how much of the simulated time has passed, 0 to 1. */
  calls: (hourStart: number, dice: Dice, share: number) => number;
  most: number;
  payments: number;
};

const isWeekend = (time: number): boolean => new Date(time).getUTCDay() % 6 === 0;
const isMonday = (time: number): boolean => new Date(time).getUTCDay() === 1;
const isByDay = (time: number): boolean => time % DAY >= 8 * HOUR && time % DAY < 18 * HOUR;
const isMorning = (time: number): boolean => time % DAY >= 9 * HOUR && time % DAY < 12 * HOUR;

export const profiles: readonly Profile[] = [
  { name: "quiet", users: 3, calls: (_, dice) => dice.poisson(0.2), most: 4, payments: 0.3 },
  {
    name: "regular, every six hours",
    users: 2,
    calls: (time, dice) => (time % (6 * HOUR) < HOUR ? 40 : 0) + dice.poisson(0.2),
    most: 44,
    payments: 4,
  },
  {
    name: "by day, with a Monday peak",
    users: 15,
    calls: (time, dice) =>
      dice.poisson(isWeekend(time) || !isByDay(time) ? 0.4 : isMonday(time) && isMorning(time) ? 60 : 18),
    most: 90,
    payments: 12,
  },
  {
    name: "bursty",
    users: 8,
    calls: (_, dice) => dice.poisson(4 * Math.exp(0.8 * dice.normal())),
    most: 90,
    payments: 40,
  },
  { name: "growing", users: 10, calls: (_, dice, share) => dice.poisson(2 + 28 * share), most: 60, payments: 25 },
  {
    name: "at weekends",
    users: 6,
    calls: (time, dice) => dice.poisson(isWeekend(time) ? 20 : 0.5),
    most: 45,
    payments: 8,
  },
];
