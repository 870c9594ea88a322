/**
 * The functions of the service, each with any number of instances in one process. A function's file makes its handler
 * when it is loaded; here its text becomes a function, so that each instance is wired again: caches, counters and clocks are an
 * instance's own. Only the SDK's clients, which keep no state between calls, and the failure counter of
 * shared/wiring/recorder.ts are shared.
 */
import { readdirSync } from "node:fs";
import { registerHooks } from "node:module";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Context } from "aws-lambda";
import { type BackgroundFunctionName, backgroundFunctions } from "../../shared/api/background-functions.ts";
import { consumedEvents } from "../../shared/api/consumed-events.ts";
import type { Mutation } from "./mutations.ts";
import { activate, createScheduler, type Process, runAs, type Scheduler } from "./scheduler.ts";

export type Handler = (event: unknown, context: Context) => Promise<unknown>;
type InstanceMaker = { createInstance: () => Handler };

const DIRECTORY = join(import.meta.dirname, "../../functions");

const isBackground = (name: string): name is BackgroundFunctionName => Object.hasOwn(backgroundFunctions, name);

/** The text of a function's file with everything after its imports in a function. */
const asFactory = (source: string): string => {
  const lines = source.split("\n");
  const lastImport = lines.findLastIndex((line) => / from "[^"]+";$/.test(line));
  const imports = lines.slice(0, lastImport + 1).join("\n");
  const body = lines
    .slice(lastImport + 1)
    .join("\n")
    .replace(/^export const /gm, "const ");
  return `${imports}\nexport const createInstance = () => {\n${body}\nreturn handler;\n};\n`;
};

/** What the modules do once per process, not per instance, before their first request. It needs no other side. */
const rehearse = async (): Promise<void> => {
  const { prewarm } = await import("../../shared/runtime/prewarm.ts");
  activate(createScheduler(0));
  await prewarm();
  activate(undefined);
};

/** @throws Error if the text is not in the file. */
const mutate = (source: string, { file, from, to }: Mutation): string => {
  if (!source.includes(from)) throw new Error(`shared/${file} has no ${from}`);
  return source.replace(from, () => to);
};

/** Loads all functions. Call it after `installTime`, `installNode` and the environment. @param mutation a planted fault. */
export const loadFunctions = async (mutation?: Mutation): Promise<ReadonlyMap<string, () => Handler>> => {
  // A function's file is in its subject's folder; the folders below have the console's app.
  const files = new Map(
    readdirSync(DIRECTORY, { recursive: true, encoding: "utf8" })
      .filter((file) => /^[^/]+\/[^/]+\.ts$/.test(file))
      .toSorted()
      .map((file) => [pathToFileURL(join(DIRECTORY, file)).href, basename(file, ".ts")]),
  );
  const hooks = registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (mutation !== undefined && url.endsWith(`/shared/${mutation.file}`))
        return { ...loaded, source: mutate(String(loaded.source), mutation) };
      if (!files.has(url)) return loaded;
      return { ...loaded, source: asFactory(String(loaded.source)) };
    },
  });
  const made = new Map<string, () => Handler>();
  for (const [url, name] of files) {
    const { createInstance }: InstanceMaker = await import(url);
    const consumed = isBackground(name) ? consumedEvents(name).join(",") : "";
    made.set(name, () => {
      process.env.CONSUMED_EVENTS = consumed;
      return createInstance();
    });
  }
  hooks.deregister();
  await rehearse();
  return made;
};

/** `died`: the instance ended before its answer, by its time-out or a kill. */
export type Outcome =
  | { status: "answered"; value: unknown }
  | { status: "failed"; error: unknown }
  | { status: "died" };

type Instance = Process & { handler: Handler | undefined; isBusy: boolean; onDeath: () => void };

export type Functions = ReturnType<typeof createFunctions>;

/** The instances of one simulation. @param prewarm what a bundle does before its first request. */
export const createFunctions = (
  scheduler: Scheduler,
  factories: ReadonlyMap<string, () => Handler>,
  { clockSkewMs, prewarm }: { clockSkewMs: number; prewarm: () => Promise<unknown> },
) => {
  const instances = new Map<string, Instance[]>();
  let made = 0;
  let invocations = 0;

  const kill = (owner: Process): void => {
    const instance = owner as Instance;
    if (instance.isDead) return;
    instance.isDead = true;
    const pool = instances.get(instance.name.replace(/ .*/, "")) ?? [];
    pool.splice(pool.indexOf(instance), 1);
    instance.onDeath();
  };

  const create = (name: string): Instance => ({
    name: `${name} ${++made}`,
    clockOffsetMs: scheduler.between(-clockSkewMs, clockSkewMs),
    isDead: false,
    isFrozen: false,
    parked: [],
    handler: undefined,
    isBusy: false,
    onDeath: () => undefined,
  });

  const take = (name: string): Instance => {
    const pool = instances.get(name) ?? [];
    instances.set(name, pool);
    const idle = pool.filter(({ isBusy }) => !isBusy);
    if (idle.length > 0 && scheduler.chance(0.93)) return scheduler.pick(idle);
    const instance = create(name);
    pool.push(instance);
    return instance;
  };

  /** Runs a function once. */
  const invoke = (name: string, event: unknown, timeoutSeconds: number): Promise<Outcome> => {
    const factory = factories.get(name);
    if (factory === undefined) throw new Error(`There is no function ${name}.`);
    const instance = take(name);
    instance.isBusy = true;
    const deadline = scheduler.now() + timeoutSeconds * 1_000;
    const context = {
      functionName: name,
      awsRequestId: `invocation-${++invocations}`,
      getRemainingTimeInMillis: () => deadline - scheduler.now(),
      callbackWaitsForEmptyEventLoop: true,
    } as Context;
    const work = async (): Promise<unknown> => {
      if (instance.handler === undefined) {
        const handler = factory();
        await prewarm();
        instance.handler = handler;
      }
      return instance.handler(event, context);
    };
    return new Promise((resolve) => {
      const cancel = scheduler.after(timeoutSeconds * 1_000, () => kill(instance));
      instance.onDeath = () => {
        cancel();
        resolve({ status: "died" });
      };
      const conclude = (outcome: Outcome) => {
        if (instance.isDead) return;
        cancel();
        instance.isBusy = false;
        instance.isFrozen = true;
        resolve(outcome);
      };
      scheduler.thaw(instance);
      runAs(instance, work).then(
        (value) => conclude({ status: "answered", value }),
        (error: unknown) => conclude({ status: "failed", error }),
      );
    });
  };

  return { invoke, kill, count: () => ({ instances: made, invocations }) };
};
