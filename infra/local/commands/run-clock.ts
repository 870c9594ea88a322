import { parseArgs } from "node:util";
import * as z from "zod";
import { relativeTime } from "./readable-time.ts";
import type { Paint } from "./show-json.ts";
import { type RunningStack, requireRunning } from "./stack-file.ts";

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const PROGRESS_MS = 500;
/** Returns to the beginning of the terminal's line, and erases it. */
const ERASED_LINE = "\r\x1b[K";

const Firing = z.object({ name: z.string(), at: z.number() });
const State = z.object({
  now: z.number(),
  schedules: z.array(z.object({ name: z.string(), nextAt: z.number().optional() })),
});
const Advanced = z.object({ now: z.number(), fired: z.array(Firing) });
const Refusal = z.object({ message: z.string() });

const durationError = (text: string) => new Error(`${text}: expected a duration such as 90s, 70m, 4h, 8d or 1d12h`);

/** Milliseconds of `1d12h`. @throws Error in one line that shows the form. */
export const parseDuration = (text: string): number => {
  if (!/^(?:\d+[smhd])+$/.test(text)) throw durationError(text);
  const parts = [...text.matchAll(/(\d+)([smhd])/g)];
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit as keyof typeof UNITS], 0);
};

const minutes = (epochMs: number) => `${new Date(epochMs).toISOString().slice(0, 16)}Z`;

const call = async <Value>(schema: z.ZodType<Value>, url: string, body?: object): Promise<Value> => {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(url, init).catch((error: unknown) => {
    throw new Error(`the local cloud does not answer: start it with npm start (${String(error)})`);
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(Refusal.parse(answer).message);
  return schema.parse(answer);
};

/** Shortens a name by what all names start with: the stack's name. */
const shortened = (names: readonly string[]): ((name: string) => string) => {
  const [first = ""] = names;
  let length = 0;
  while (length < first.length && names.every((name) => name[length] === first[length])) length++;
  const start = first.lastIndexOf("-", length - 1) + 1;
  return (name) => name.slice(start);
};

/** `12 × dispatch-syncs`, in the order of the first firings. */
const countByName = (fired: readonly z.infer<typeof Firing>[], short: (name: string) => string): string =>
  [...Map.groupBy(fired, ({ name }) => short(name))].map(([name, all]) => `${all.length} × ${name}`).join(", ");

/**
 * Runs `npm run clock` with its arguments.
 * @returns whether it did anything; false if help is asked for
 * @throws Error in one line if the clock cannot be moved.
 */
export const runClock = async (
  args: readonly string[],
  terminal: { stack: RunningStack | undefined; isTerminal: boolean; paint: Paint; write: (text: string) => void },
): Promise<boolean> => {
  // parseArgs would take it for an option.
  const negative = args.find((arg) => /^-\d/.test(arg));
  if (negative !== undefined) throw durationError(negative);
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { last: { type: "boolean" }, help: { type: "boolean", short: "h" } },
  });
  if (values.help) return false;
  const durations = positionals.map(parseDuration);
  const { paint, write, isTerminal } = terminal;
  const { controlUrl } = requireRunning(terminal.stack);
  const state = () => call(State, `${controlUrl}/`);
  const before = await state();
  const short = shortened(before.schedules.map(({ name }) => name));
  if (durations.length === 0) {
    write(`${paint("bold", new Date(before.now).toISOString())}\n`);
    for (const { name, nextAt } of before.schedules)
      write(`  ${short(name).padEnd(24)}${nextAt === undefined ? "disabled" : relativeTime(nextAt, before.now)}\n`);
    return true;
  }

  let isMoving = true;
  let shown = "";
  const showProgress = () =>
    state().then(
      ({ now }) => {
        const progress = minutes(now);
        // The answer may arrive after the move has ended.
        if (!isMoving || progress === shown) return;
        shown = progress;
        write(`\r${progress} …`);
      },
      () => undefined,
    );
  const timer = isTerminal ? setInterval(showProgress, PROGRESS_MS) : undefined;
  const ms = durations.reduce((sum, duration) => sum + duration, 0);
  const firing = values.last ? "last" : "each";
  const { now, fired } = await call(Advanced, `${controlUrl}/clock/advance`, { ms, firing }).finally(() => {
    isMoving = false;
    clearInterval(timer);
    if (isTerminal) write(ERASED_LINE);
  });
  const schedules = fired.length === 0 ? "no schedule fired" : countByName(fired, short);
  write(`${minutes(before.now)} → ${paint("bold", minutes(now))}  ${schedules}\n`);
  return true;
};
