/** The current time in epoch milliseconds. Code that depends on time takes a clock as an argument, so that tests can set the time. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();
