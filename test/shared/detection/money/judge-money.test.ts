import { describe, expect, it } from "@jest/globals";
import { createJudgeMoney } from "../../../../shared/detection/money/judge-money.ts";
import type { MoneyEvent } from "../../../../shared/money/money.ts";
import { HOUR_MS } from "../../../../shared/terms/hours.ts";
import { createMoneyEvents } from "../../../detection/money-events.ts";
import { createStage, HOUR, JUDGED_AT } from "../stage.ts";
import { useDetectionEngine } from "../use-detection-engine.ts";

const engine = useDetectionEngine();
const made = createMoneyEvents();
const failed = (count: number, at = HOUR) =>
  Array.from({ length: count }, (_, i) => made.failed(at + i * 1_000, { payment: `pi_${i}` }));

/** What a dispatch at the stage's time has judged. */
const dispatchAndDetect = async (stage: ReturnType<typeof createStage>) => {
  const marks = [];
  for await (const { scope, hour, of } of stage.own.unjudged.listAll())
    if (scope === stage.scope && of === "money" && hour + HOUR_MS <= stage.time.now) marks.push(hour);
  if (marks.length > 0) await stage.own.detect([], { money: marks });
  return marks;
};

const alertsOf = async (stage: ReturnType<typeof createStage>) =>
  (await stage.findings()).map(({ rule, subject, evidence }) => [rule, subject, evidence?.count]);

describe("an hour's money", () => {
  it("is judged with the hour, and not again when the hour is delivered again", async () => {
    const stage = createStage(engine);
    stage.time.now = HOUR + 30 * 60_000;
    await stage.own.countMoney(failed(40));
    await stage.record({ source: "webhook", action: "receive_webhook" }, HOUR + 1_000);
    stage.time.now = JUDGED_AT;
    expect(await dispatchAndDetect(stage)).toEqual([]);
    await stage.own.detect([HOUR]);
    expect(await alertsOf(stage)).toEqual([["card_testing", "payments", 40]]);
    await stage.own.detect([HOUR]);
    await Promise.all([stage.own.detect([HOUR]), stage.worker().detect([HOUR])]);
    expect(await alertsOf(stage)).toEqual([["card_testing", "payments", 40]]);
  });

  it("is judged again if it grows after it was judged, once", async () => {
    const stage = createStage(engine);
    await stage.own.countMoney(failed(20));
    expect(await dispatchAndDetect(stage)).toEqual([HOUR]);
    expect(await alertsOf(stage)).toEqual([]);
    expect(await dispatchAndDetect(stage)).toEqual([]);
    stage.time.now = HOUR + 40 * HOUR_MS;
    await stage.own.countMoney(failed(15));
    expect(await dispatchAndDetect(stage)).toEqual([HOUR]);
    expect(await alertsOf(stage)).toEqual([["card_testing", "payments", 35]]);
  });

  it("raises a finding once, though its alert was resolved before the hour grew", async () => {
    const stage = createStage(engine);
    const { moneyDays: days, moneyHours: hours, moneyMarks: marks, rules: settings } = stage.own;
    const raised: string[] = [];
    const judge = createJudgeMoney({
      days,
      hours,
      marks,
      settings,
      raise: async (_, { level }) => void raised.push(level),
    });
    for (const events of [failed(40), failed(10), [made.succeeded(HOUR, { payment: "pi_7" })], failed(10)]) {
      await days.count(stage.organizationId, events);
      await judge(stage.organizationId, HOUR, { isMarked: false });
    }
    expect(raised).toEqual(["HIGH", "CRITICAL"]);
  });

  it("is not judged again by what comes more than two days later", async () => {
    const stage = createStage(engine);
    await stage.own.countMoney(failed(20));
    await dispatchAndDetect(stage);
    stage.time.now = HOUR + HOUR_MS + 50 * HOUR_MS;
    await stage.own.countMoney(failed(40));
    expect(await dispatchAndDetect(stage)).toEqual([]);
  });

  it("becomes CRITICAL, in the same alert, if a payment that failed succeeds later", async () => {
    const stage = createStage(engine);
    await stage.own.countMoney(failed(40));
    await dispatchAndDetect(stage);
    await stage.own.countMoney([made.succeeded(HOUR + 50 * 60_000, { payment: "pi_7" })]);
    await dispatchAndDetect(stage);
    const levels = stage.published.map(({ detail }) => detail).map((detail) => Object(detail).alert?.level);
    expect(levels).toEqual(["HIGH", "CRITICAL"]);
    expect(await stage.findings()).toHaveLength(1);
  });

  it("keeps a mark that was made while the hour was judged", async () => {
    const stage = createStage(engine);
    await stage.own.countMoney(failed(20));
    const slow = stage.worker();
    const { token } = slow.moneyMarks;
    // The other count comes between the reading of the mark and the clearing.
    slow.moneyMarks.token = async (organizationId, hour) => {
      const read = await token(organizationId, hour);
      await stage.own.moneyMarks.mark(organizationId, hour, stage.time.now);
      return read;
    };
    await slow.detect([], { money: [HOUR] });
    expect(await dispatchAndDetect(stage)).toEqual([HOUR]);
  });

  it("is judged by the hours and days before, as the counts of days have them", async () => {
    const stage = createStage(engine);
    const before: MoneyEvent[] = [];
    for (let day = 1; day <= 20; day++) before.push(...failed(25, HOUR - day * 24 * HOUR_MS));
    stage.time.now = HOUR - 5 * HOUR_MS;
    await stage.own.moneyDays.count(stage.organizationId, before);
    for (let day = 20; day > 0; day--)
      await stage.own.judgeMoney(stage.organizationId, HOUR - day * 24 * HOUR_MS, { isMarked: false });
    stage.time.now = JUDGED_AT;
    await stage.own.countMoney(failed(31));
    await dispatchAndDetect(stage);
    // 31 are plausible with 25 a day in one hour, and would not be with 1 an hour.
    expect(await alertsOf(stage)).toEqual([]);
    await stage.own.countMoney(failed(40));
    await dispatchAndDetect(stage);
    expect(await alertsOf(stage)).toEqual([["card_testing", "payments", 71]]);
  });
});

describe("early fraud warnings", () => {
  it("are judged at once, each once, and the third of a day is HIGH", async () => {
    const stage = createStage(engine);
    const warnings = [1, 2, 3].map((i) => made.warning(HOUR + i * 1_000, `pi_w${i}`));
    await stage.own.countMoney(warnings.slice(0, 1));
    await Promise.all([stage.own.countMoney(warnings.slice(0, 2)), stage.worker().countMoney(warnings.slice(0, 2))]);
    await stage.own.countMoney(warnings);
    await stage.own.countMoney(warnings);
    const found = await stage.findings();
    expect(
      found.map(({ rule, subject, evidence }) => [rule, subject, evidence?.placeOfDay, evidence?.count]).sort(),
    ).toEqual([
      ["early_fraud_warning", "warning:pi_w1", 1, 1],
      ["early_fraud_warning", "warning:pi_w2", 2, 1],
      ["early_fraud_warning", "warning:pi_w3", 3, 1],
    ]);
  });
});
