import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Duplex } from "node:stream";
import * as z from "zod";
import { TASK_ROOT } from "../../bundling/bundle-directory.ts";
import type { Watchdog } from "../core/watchdog.ts";
import { FunctionError } from "./function-error.ts";

/** One message to or from an instance: 4 bytes of length (big-endian), then JSON in UTF-8. */
const encodeFrame = (message: unknown): Buffer => {
  const text = Buffer.from(JSON.stringify(message), "utf8");
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32BE(text.length, 0);
  return Buffer.concat([length, text]);
};

/** Takes bytes as they come and calls back with each whole message, parsed. */
const createFrameReader = (onMessage: (message: unknown) => void): ((chunk: Buffer) => void) => {
  let chunks: Buffer[] = [];
  let size = 0;
  return (chunk) => {
    chunks.push(chunk);
    size += chunk.length;
    for (;;) {
      if (size < 4) return;
      const [first] = chunks;
      const head = first !== undefined && first.length >= 4 ? first : Buffer.concat(chunks);
      const end = 4 + head.readUInt32BE(0);
      if (size < end) return;
      const bytes = Buffer.concat(chunks);
      // An empty first chunk would make each later chunk copy all bytes.
      chunks = bytes.length > end ? [bytes.subarray(end)] : [];
      size -= end;
      onMessage(JSON.parse(bytes.toString("utf8", 4, end)));
    }
  };
};

const RUNTIME = join(import.meta.dirname, "runtime.mjs");

const Message = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ready") }),
  z.object({ kind: z.literal("answer"), payload: z.string() }),
  z.object({ kind: z.literal("error"), error: FunctionError, fatal: z.boolean() }),
]);

/** The outcome of the initialisation or of one event. After `exit` or a fatal error the process has ended. */
export type Outcome = z.infer<typeof Message> | { kind: "exit"; code: number | null; signal: NodeJS.Signals | null };

export type Instance = {
  /** The outcome of loading the function's code: `ready`, `error` or `exit`. */
  initialised: Promise<Outcome>;
  /** Sends one event. The caller waits for the answer before it sends the next. */
  handOver(event: InstanceEvent): Promise<Outcome>;
  /** Kills the process and all processes that it started, at once. */
  kill(): void;
  /** Resolves when its process has ended and its last line of log was passed on. */
  ended: Promise<void>;
};

/** `payload` is the event as JSON text. */
export type InstanceEvent = {
  requestId: string;
  functionArn: string;
  payload: string;
  timeoutMs: number;
  clockOffsetMs: number;
  traceId: string;
};

export type InstanceOptions = {
  codeDirectory: string;
  environment: Readonly<Record<string, string>>;
  memoryMb: number;
  clockOffsetMs: number;
  /** A line that the function wrote to stdout or stderr. */
  log: (line: string) => void;
  watchdog: Watchdog;
};

const channelOf = (child: ChildProcess): Duplex => {
  const channel = child.stdio[3];
  if (!(channel instanceof Duplex)) throw new Error("an instance has no channel");
  return channel;
};

/** Starts one process that serves one function, one event at a time. See runtime.mjs for what runs in it. */
export const startInstance = (options: InstanceOptions): Instance => {
  const { codeDirectory, environment, memoryMb, clockOffsetMs, log, watchdog } = options;
  const runtime = [process.execPath, `--max-old-space-size=${memoryMb}`, RUNTIME];
  // https://docs.aws.amazon.com/lambda/latest/dg/runtimes-modify.html#runtime-wrapper
  const wrapper = environment.AWS_LAMBDA_EXEC_WRAPPER?.replace(TASK_ROOT, codeDirectory);
  const [program = "", ...args] = wrapper === undefined ? runtime : [wrapper, ...runtime];
  const child = spawn(program, args, {
    cwd: codeDirectory,
    env: environment,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    // A separate session: Ctrl+C in the terminal must not end the process in the middle of an event.
    detached: true,
  });
  const { pid } = child;
  const kill = () => {
    if (pid === undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
  };
  if (pid !== undefined) watchdog.guard(-pid);

  const channel = channelOf(child);
  let waiting: ((outcome: Outcome) => void) | undefined;
  let exit: Outcome | undefined;
  const next = () =>
    new Promise<Outcome>((resolve) => {
      if (exit !== undefined) resolve(exit);
      else waiting = resolve;
    });
  const settle = (outcome: Outcome) => {
    const resolve = waiting;
    waiting = undefined;
    resolve?.(outcome);
  };

  channel.on(
    "data",
    createFrameReader((message) => settle(Message.parse(message))),
  );
  channel.on("error", () => {});
  for (const stream of [child.stdout, child.stderr]) if (stream) createInterface({ input: stream }).on("line", log);

  const ended = new Promise<void>((resolve) => {
    child.on("error", (error) => {
      log(`cannot start an instance: ${error.message}`);
      exit = { kind: "exit", code: 1, signal: null };
      settle(exit);
      resolve();
    });
    // Kill the processes that it started too: otherwise its pipes would stay open.
    child.on("exit", kill);
    // Only after its last message and its last line of log were read.
    child.on("close", (code, signal) => {
      if (pid !== undefined) watchdog.release(-pid);
      exit = { kind: "exit", code, signal };
      settle(exit);
      resolve();
    });
  });

  const initialised = next();
  channel.write(encodeFrame({ clockOffsetMs }));
  return {
    initialised,
    handOver(event) {
      const outcome = next();
      channel.write(encodeFrame(event));
      return outcome;
    },
    kill,
    ended,
  };
};
