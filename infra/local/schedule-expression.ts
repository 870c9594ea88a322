import { Cron } from "croner";

/** When a schedule falls due; `undefined` when it never does again. */
export type Occurrences = { nextAfter(epochMs: number): number | undefined };

const UNIT_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/**
 * Understands `rate(…)` and `cron(…)` as EventBridge does, in UTC.
 * Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
 * @param createdAtMs from when a rate is counted
 * @throws Error naming the expression that EventBridge would refuse.
 */
export const parseScheduleExpression = (expression: string, createdAtMs: number): Occurrences => {
  const [, kind, text = ""] = /^(rate|cron)\((.*)\)$/.exec(expression.trim()) ?? [];
  if (kind === "rate") return rate(text, expression, createdAtMs);
  if (kind === "cron") return cron(text, expression);
  throw invalid(expression, "expected rate(…) or cron(…)");
};

const invalid = (expression: string, why: string) =>
  new Error(`the schedule expression ${expression} is not valid: ${why}`);

const rate = (text: string, expression: string, createdAtMs: number): Occurrences => {
  const [, digits, unit, plural] = /^([1-9]\d*) (minute|hour|day)(s?)$/.exec(text.trim()) ?? [];
  const value = Number(digits);
  if (!unit || (value === 1) !== (plural === "")) throw invalid(expression, "expected for example 1 hour or 5 minutes");
  const periodMs = value * UNIT_MS[unit as keyof typeof UNIT_MS];
  return {
    nextAfter: (epochMs) => createdAtMs + Math.max(1, Math.floor((epochMs - createdAtMs) / periodMs) + 1) * periodMs,
  };
};

const cron = (text: string, expression: string): Occurrences => {
  const fields = text.trim().split(/\s+/);
  const [minutes, hours, dayOfMonth, month, dayOfWeek, year] = fields;
  if (fields.length !== 6) throw invalid(expression, "expected six fields");
  if ((dayOfMonth === "?") === (dayOfWeek === "?"))
    throw invalid(expression, "exactly one of day-of-month and day-of-week must be ?");
  // A lone L is the week's last day; croner knows it only behind a day.
  const pattern = [0, minutes, hours, dayOfMonth, month, dayOfWeek === "L" ? "7" : dayOfWeek, year].join(" ");
  try {
    const job = new Cron(pattern, {
      paused: true,
      mode: "7-part",
      timezone: "UTC",
      alternativeWeekdays: true,
      sloppyRanges: true,
    });
    return { nextAfter: (epochMs) => job.nextRun(new Date(epochMs))?.getTime() };
  } catch (error) {
    throw invalid(expression, error instanceof Error ? error.message : String(error));
  }
};
