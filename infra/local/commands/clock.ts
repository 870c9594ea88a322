/** `npm run clock -- 70m`: moves the clock of the running local cloud, or shows it. */
import { styleText } from "node:util";
import { failWith } from "./fail-with.ts";
import { runClock } from "./run-clock.ts";
import { readStackFile } from "./stack-file.ts";

const HELP = `Usage: npm run --silent clock -- [DURATION] [--last]

Moves the clock of the running local cloud (npm start), and ends when all work that this causes has finished. Without a
duration it shows the clock and the next schedules.

  DURATION  such as 90s, 70m, 4h, 8d or 1d12h
  --last    fires every schedule that falls due once, at the end: for spans of weeks
`;

try {
  const isDone = await runClock(process.argv.slice(2), {
    stack: readStackFile(),
    isTerminal: process.stdout.isTTY,
    paint: (format, text) => styleText(format, text, { stream: process.stdout }),
    write: (text) => process.stdout.write(text),
  });
  if (!isDone) console.log(HELP);
} catch (error) {
  failWith(error);
}
