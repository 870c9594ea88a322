/**
 * A fresh process for one subject. It loads the subject as Lambda's runtime does, sends it requests one after the other,
 * and writes the responses and the CPU time of each phase to descriptor 3. Its argument is JSON: `file`, `events`, and
 * `warmRequests`, the number of times that the last event is repeated for the warm time. It is plain JavaScript, so that
 * the measurement does not include stripping types.
 */
import { writeSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { file, events, warmRequests = 0 } = JSON.parse(process.argv[2]);
const context = { getRemainingTimeInMillis: () => 10_000 };

/** User and system time of the process since its start, in ms, including the threads of V8 and OpenSSL. */
const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const { handler } = file.endsWith(".cjs") ? createRequire(file)(file) : await import(pathToFileURL(file).href);
const init = cpuMs();

const responses = [await handler(events[0], context)];
const first = cpuMs() - init;

for (const event of events.slice(1)) responses.push(await handler(event, context));

const repeat = async (times) => {
  for (let i = 0; i < times; i++) await handler(events.at(-1), context);
};
// Runs the same number of requests first, so that the code is compiled before the measurement.
await repeat(warmRequests);
const before = cpuMs();
await repeat(warmRequests);
const warm = warmRequests === 0 ? 0 : (cpuMs() - before) / warmRequests;

writeSync(3, JSON.stringify({ responses, init, first, warm }));
process.exit(0);
