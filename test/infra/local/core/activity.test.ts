import { describe, expect, it } from "@jest/globals";
import { createActivity } from "../../../../infra/local/core/activity.ts";

const settled = async (promise: Promise<unknown>) => {
  let done = false;
  void promise.then(() => {
    done = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return done;
};

describe("activity", () => {
  it("is idle while only requests are active", async () => {
    const activity = createActivity();
    await activity.enter();
    expect(await settled(activity.idle())).toBe(true);
  });

  it("is idle when all work has ended, in any order", async () => {
    const activity = createActivity();
    const first = activity.begin();
    const second = activity.begin();
    const idle = activity.idle();
    second();
    second();
    expect(await settled(idle)).toBe(false);
    first();
    expect(await settled(idle)).toBe(true);
  });

  it("advances the clock only after requests and caused work have ended, and admits waiting requests afterwards", async () => {
    const activity = createActivity();
    const steps: string[] = [];
    const leave = await activity.enter();
    const moved = activity.quiesce(() => steps.push("moved"));
    await new Promise((resolve) => setImmediate(resolve));
    const late = activity.enter().then((end) => {
      steps.push("entered");
      end();
    });
    expect(await settled(late)).toBe(false);
    leave();
    await Promise.all([moved, late]);
    expect(steps).toEqual(["moved", "entered"]);
  });

  it("admits requests of caused work before the clock advances, to avoid a deadlock", async () => {
    const activity = createActivity();
    const leave = await activity.enter();
    const steps: string[] = [];
    const moved = activity.quiesce(() => steps.push("moved"));
    await new Promise((resolve) => setImmediate(resolve));
    // The request causes a delivery, which itself arrives as a request.
    const endDelivery = activity.begin();
    const delivered = activity.enter().then((end) => {
      steps.push("delivered");
      end();
      endDelivery();
    });
    leave();
    await Promise.all([moved, delivered]);
    expect(steps).toEqual(["delivered", "moved"]);
  });

  it("runs concurrent advances one after another", async () => {
    const activity = createActivity();
    let moves = 0;
    await Promise.all([1, 2, 3].map(() => activity.quiesce(() => moves++)));
    expect(moves).toBe(3);
    expect(await settled(activity.enter())).toBe(true);
  });
});
