import { describe, expect, it } from "@jest/globals";
import { createMoneyEvents } from "../../../detection/money-events.ts";
import { createStage, HOUR, JUDGED_AT } from "../stage.ts";
import { useDetectionEngine } from "../use-detection-engine.ts";

const engine = useDetectionEngine();

const ATTEMPTS = 20_000;
/** As many as a page of the feed may bring; webhooks bring one each. */
const AT_ONCE = 100;
const WORKERS = 4;

describe("an attack of 20,000 failed payments within an hour", () => {
  it("is counted whole, found once, and loses nothing of what comes while it is judged", async () => {
    const stage = createStage(engine);
    const made = createMoneyEvents();
    const attempts = Array.from({ length: ATTEMPTS }, (_, i) =>
      made.failed(HOUR + (i % 3_600) * 1_000, { amount: 100 }),
    );
    const batches = Array.from({ length: ATTEMPTS / AT_ONCE }, (_, i) =>
      attempts.slice(i * AT_ONCE, (i + 1) * AT_ONCE),
    );
    stage.time.now = JUDGED_AT;
    const left = [...batches];
    const workers = Array.from({ length: WORKERS }, async () => {
      const worker = stage.worker();
      for (let batch = left.pop(); batch !== undefined; batch = left.pop()) await worker.countMoney(batch);
    });
    // The dispatcher comes while the attack goes on.
    await stage.own.detect([], { money: [HOUR] });
    await Promise.all(workers);
    // The feed brings again what webhooks brought.
    await stage.own.countMoney(attempts.slice(0, 500));
    const { token } = stage.own.moneyMarks;
    expect(await token(stage.organizationId, HOUR)).toBeDefined();
    await stage.own.detect([], { money: [HOUR] });
    expect(await token(stage.organizationId, HOUR)).toBeUndefined();

    const [day, ...others] = await stage.own.moneyDays.readDays(stage.organizationId);
    expect([day?.failed, others]).toEqual([ATTEMPTS, []]);
    expect(await stage.own.moneyHours.tally(stage.organizationId, HOUR)).toMatchObject({
      failed: ATTEMPTS,
      probing: ATTEMPTS,
    });
    const found = await stage.findings();
    expect(found.map(({ rule, subject }) => [rule, subject])).toEqual([["card_testing", "payments"]]);
  });
});
