/**
 * One fresh process of one subject: loads it as Lambda's runtime would, hands it requests one after the other and
 * writes what came of them to descriptor 3, with the CPU time of each phase. Its one argument is JSON: `file`,
 * `events`, and `warmRequests`, the number of times that the last event is repeated for the warm time. Plain
 * JavaScript, so that stripping types is no part of what is measured.
 */
import { writeSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { file, events, warmRequests = 0 } = JSON.parse(process.argv[2]);
const context = { getRemainingTimeInMillis: () => 10_000 };

/** User and system time of the whole process since it started, in ms: the threads of V8 and OpenSSL included. */
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
// As many before, so that the compiler has seen what it will see.
await repeat(warmRequests);
const before = cpuMs();
await repeat(warmRequests);
const warm = warmRequests === 0 ? 0 : (cpuMs() - before) / warmRequests;

writeSync(3, JSON.stringify({ responses, init, first, warm }));
process.exit(0);
