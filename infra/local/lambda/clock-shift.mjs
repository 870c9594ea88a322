/**
 * Makes an unchanged bundle see the local cloud's clock: `new Date()`, `Date()` and `Date.now()` are shifted,
 * dates made from arguments are not. Timers and `performance.now()` stay the machine's.
 * Plain JavaScript, as everything in an instance: stripping types would double its start.
 */
const RealDate = globalThis.Date;
const realNow = RealDate.now;
let offsetMs = 0;

/** @param {number} ms added to the machine's time from now on */
export const setClockOffset = (ms) => {
  offsetMs = ms;
};

const now = () => realNow() + offsetMs;

globalThis.Date = new Proxy(RealDate, {
  apply: () => new RealDate(now()).toString(),
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, key, receiver) => (key === "now" ? now : Reflect.get(target, key, receiver)),
});
// Otherwise `new Date().constructor` would lead back to the unshifted one.
RealDate.prototype.constructor = globalThis.Date;
