import { expect, it } from "@jest/globals";
import { pauseAfter } from "../../../functions/console/app/api/back-off.ts";
import { Problem } from "../../../functions/console/app/api/problem.ts";

const unreachable = new Problem("The service does not answer.");
const down = (retryAfterS?: number) => new Problem("down", { status: 503, ...(retryAfterS && { retryAfterS }) });

it.each([
  ["a success", 0, 15_000, undefined, 15_000],
  ["a success that is not repeated", 0, undefined, undefined, undefined],
  ["the first failure of a read that is not repeated", 1, undefined, unreachable, 5_000],
  ["the first failure", 1, 15_000, unreachable, 15_000],
  ["the second failure", 2, 15_000, unreachable, 30_000],
  ["the third failure", 3, 15_000, down(), 60_000],
  ["the hundredth failure", 100, 15_000, down(), 300_000],
  ["a failure that names a time", 1, 5_000, down(60), 60_000],
  ["a failure that names a shorter time", 3, 5_000, down(1), 20_000],
  // Browsers take a delay of more than 2³¹ ms for none.
  ["a failure that names a time in years", 1, 5_000, down(1e9), 3_600_000],
  ["too many requests", 1, 5_000, new Problem("slow down", { status: 429, retryAfterS: 9 }), 9_000],
  ["a refusal", 1, 5_000, new Problem("The role may not.", { status: 403 }), undefined],
  ["the end of the session", 1, 5_000, new Problem("The session has ended.", { status: 401 }), undefined],
])("after %s, the next read follows in time", (_, failures, everyMs, problem, expected) => {
  expect(pauseAfter(failures, everyMs, problem)).toBe(expected);
});
