/**
 * The program of one function instance, as Lambda's own runtime is: it loads the function, then serves one event at a time.
 * It communicates with instance.ts in frames (4 bytes of length, then JSON) over descriptor 3 and waits for the next
 * event in a blocking read. So no code runs between two events, and a due timer of the function runs in the next event.
 * If the local cloud ends, the input ends.
 */
import { readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { setClockOffset } from "./clock-shift.mjs";

const CHANNEL = 3;
// biome-ignore lint/style/noProcessEnv: this environment is the function's own, see environment.ts
const env = process.env;

const readBytes = (length) => {
  const bytes = Buffer.allocUnsafe(length);
  for (let read = 0; read < length; ) {
    const count = readSync(CHANNEL, bytes, read, length - read, null);
    if (count === 0) process.exit(0);
    read += count;
  }
  return bytes;
};

const receive = () => JSON.parse(readBytes(readBytes(4).readUInt32BE(0)).toString("utf8"));

const send = (message) => {
  const text = Buffer.from(JSON.stringify(message), "utf8");
  const frame = Buffer.allocUnsafe(4 + text.length);
  frame.writeUInt32BE(text.length, 0);
  text.copy(frame, 4);
  for (let written = 0; written < frame.length; ) written += writeSync(CHANNEL, frame, written);
};

const describe = (thrown) =>
  thrown instanceof Error
    ? { errorType: thrown.name, errorMessage: thrown.message, trace: String(thrown.stack ?? thrown).split("\n") }
    : { errorType: typeof thrown, errorMessage: String(thrown), trace: [] };

const fail = (error, exitCode) => {
  send({ kind: "error", error, fatal: true });
  process.exit(exitCode);
};

const runtimeError = (name, message) => Object.assign(new Error(message), { name });

const importFile = async (path) => {
  for (const extension of [".js", ".mjs", ".cjs"]) {
    const url = pathToFileURL(path + extension).href;
    try {
      return await import(url);
    } catch (error) {
      if (error.code === "ERR_MODULE_NOT_FOUND" && error.url === url) continue;
      if (error instanceof SyntaxError) error.name = "Runtime.UserCodeSyntaxError";
      if (error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND")
        error.name = "Runtime.ImportModuleError";
      throw error;
    }
  }
  throw runtimeError("Runtime.ImportModuleError", `Error: Cannot find module '${path.split("/").pop()}'`);
};

/** `directory/file.export`, as in the template. */
const loadHandler = async (root, handlerName) => {
  const slash = handlerName.lastIndexOf("/") + 1;
  const dot = handlerName.indexOf(".", slash);
  const name = handlerName.slice(dot + 1);
  const module = await importFile(join(root, handlerName.slice(0, dot)));
  const handler = module[name] ?? module.default?.[name];
  if (typeof handler !== "function")
    throw runtimeError("Runtime.HandlerNotFound", `${handlerName} is undefined or not exported`);
  return handler;
};

const contextOf = ({ requestId, timeoutMs, functionArn }, startedAt) => ({
  callbackWaitsForEmptyEventLoop: true,
  functionName: env.AWS_LAMBDA_FUNCTION_NAME,
  functionVersion: env.AWS_LAMBDA_FUNCTION_VERSION,
  invokedFunctionArn: functionArn,
  memoryLimitInMB: env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
  awsRequestId: requestId,
  logGroupName: env.AWS_LAMBDA_LOG_GROUP_NAME,
  logStreamName: env.AWS_LAMBDA_LOG_STREAM_NAME,
  // Counted on the machine's clock: the local cloud's may jump, the time-out does not.
  getRemainingTimeInMillis: () => Math.max(0, Math.floor(timeoutMs - (performance.now() - startedAt))),
});

const serialise = (answer) => {
  try {
    return JSON.stringify(answer === undefined ? null : answer) ?? "null";
  } catch {
    throw runtimeError("Runtime.MarshalError", "Unable to stringify response body");
  }
};

const serve = async (handler) => {
  for (;;) {
    const invocation = receive();
    const startedAt = performance.now();
    setClockOffset(invocation.clockOffsetMs);
    // Lambda's runtime waits for events in the event loop, so due timers run. One turn of the loop may already be past
    // its timers; two are not.
    await setImmediate();
    await setImmediate();
    env._X_AMZN_TRACE_ID = invocation.traceId;
    let message;
    try {
      const answer = await handler(JSON.parse(invocation.payload), contextOf(invocation, startedAt));
      message = { kind: "answer", payload: serialise(answer) };
    } catch (thrown) {
      message = { kind: "error", error: describe(thrown), fatal: false };
    }
    send(message);
  }
};

process.on("uncaughtException", (error) => fail(describe(error), 129));
process.on("unhandledRejection", (reason) => {
  const { errorMessage, trace } = describe(reason);
  fail({ errorType: "Runtime.UnhandledPromiseRejection", errorMessage, trace }, 128);
});
// The event loop is empty although the handler has not settled: nothing can ever answer this event.
process.on("beforeExit", () =>
  fail(
    {
      errorType: "Runtime.NodeJsExit",
      errorMessage: "The function ended while a promise was never settled",
      trace: [],
    },
    13,
  ),
);

setClockOffset(receive().clockOffsetMs);
try {
  const handler = await loadHandler(env.LAMBDA_TASK_ROOT, env._HANDLER);
  send({ kind: "ready" });
  await serve(handler);
} catch (error) {
  fail(describe(error), 1);
}
