import { expect, it } from "@jest/globals";
import type { Drill } from "../../../functions/console/app/api/types.ts";
import { outcomeOf, stagesOf, whyNotStarted } from "../../../functions/console/app/views/notifications/drill-words.ts";

const startedAt = Date.UTC(2026, 10, 21, 12);
const drill: Drill = {
  id: "D",
  status: "running",
  startedAt,
  stages: {
    recordedAt: startedAt + 300,
    judgedAt: startedAt + 400,
    deliveries: [
      { destinationId: "a", acceptedAt: startedAt + 2_000 },
      { destinationId: "b", failedAt: startedAt + 600_000 },
      { destinationId: "c" },
    ],
  },
};

const lines = (one: Drill) => stagesOf(one, [{ id: "a", name: "SOC" }]).map(({ name, text }) => `${name}: ${text}`);

it("the stages of a drill are said one by one, with what is not reached yet", () => {
  expect(lines(drill)).toEqual([
    "Recorded: After 300 ms",
    "Judged: After 400 ms",
    "Alerted: Not yet",
    "Accepted by SOC: After 2 sec",
    "Accepted by b: Failed",
    "Accepted by c: Not yet",
    "Acknowledged: Not yet",
  ]);
  const acknowledged = { ...drill.stages, acknowledgedAt: startedAt + 60_000, acknowledgedBy: "grace" };
  expect(lines({ ...drill, stages: acknowledged }).at(-1)).toBe("Acknowledged: After 1 min by grace");
});

it("the outcome of a drill says whether the alert arrived, and whether there is a destination at all", () => {
  expect(outcomeOf(drill)).toContain("under way");
  expect(outcomeOf({ ...drill, status: "succeeded" })).toContain("reached every active destination");
  expect(outcomeOf({ ...drill, status: "failed" })).toContain("did not reach");
  expect(outcomeOf({ ...drill, status: "succeeded", stages: { deliveries: [] } })).toContain(
    "no destination is active",
  );
});

it("why no drill can start is said for what other drills cause, with the time that is left", () => {
  expect(whyNotStarted({ code: 40925, retryAfterS: undefined })).toContain("A drill is under way");
  expect(whyNotStarted({ code: 42902, retryAfterS: 7_201 })).toMatch(/ten drills today.* in 2 hr 1 min\.$/);
  expect(whyNotStarted({ code: 50301, retryAfterS: 30 })).toBeUndefined();
});
