/** Which of two observations is of the later moment, as far as their times tell. Pure. */
import type { SeenAt } from "./observation.ts";

/** Where it cannot be told, the two are `unordered`: times are whole seconds, in which much can happen. */
export type SeenOrder = "newer" | "older" | "unordered";

/** How the first lies to the second. */
export const compareSeen = (first: SeenAt, second: SeenAt): SeenOrder => {
  if (first.from > second.to) return "newer";
  return first.to < second.from ? "older" : "unordered";
};

/** When the later of two moments was. */
export const laterSeen = (first: SeenAt, second: SeenAt): SeenAt => ({
  from: Math.max(first.from, second.from),
  to: Math.max(first.to, second.to),
});
