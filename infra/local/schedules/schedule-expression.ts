/** When a schedule falls due. */
export type Occurrences = { nextAfter(epochMs: number): number };

const HOUR_MS = 3_600_000;
const UNIT_MS = { minute: 60_000, hour: HOUR_MS, day: 24 * HOUR_MS } as const;

/** `rate(5 minutes)`: counted from when the schedule was created. */
const rate = (expression: string, createdAtMs: number): Occurrences | undefined => {
  const [, digits, unit, plural] = /^rate\(([1-9]\d*) (minute|hour|day)(s?)\)$/.exec(expression) ?? [];
  const value = Number(digits);
  if (unit === undefined || (value === 1) !== (plural === "")) return undefined;
  const periodMs = value * UNIT_MS[unit as keyof typeof UNIT_MS];
  return {
    nextAfter: (epochMs) => createdAtMs + Math.max(1, Math.floor((epochMs - createdAtMs) / periodMs) + 1) * periodMs,
  };
};

/** `cron(26 * * * ? *)`: hourly, at a minute. */
const hourly = (expression: string): Occurrences | undefined => {
  const minute = /^cron\((\d|[1-5]\d) \* \* \* \? \*\)$/.exec(expression)?.[1];
  if (minute === undefined) return undefined;
  const offsetMs = Number(minute) * 60_000;
  return { nextAfter: (epochMs) => (Math.floor((epochMs - offsetMs) / HOUR_MS) + 1) * HOUR_MS + offsetMs };
};

/**
 * Parses the forms of EventBridge that the service uses, in UTC.
 * Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
 * @param createdAtMs the start of a rate's first period
 * @throws Error naming the expression if it is of another form.
 */
export const parseScheduleExpression = (expression: string, createdAtMs: number): Occurrences => {
  const occurrences = rate(expression, createdAtMs) ?? hourly(expression);
  if (occurrences !== undefined) return occurrences;
  throw new Error(
    `the local cloud does not support the schedule expression ${expression}: expected rate(5 minutes) or cron(26 * * * ? *)`,
  );
};
