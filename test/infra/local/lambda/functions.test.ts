import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "@jest/globals";
import type { FunctionModel } from "../../../../infra/local/core/model.ts";
import { startWatchdog } from "../../../../infra/local/core/watchdog.ts";
import { createFunctions, type Functions } from "../../../../infra/local/lambda/functions.ts";
import { functionDirectory } from "../../../support/function-directory.ts";
import { usePerFile } from "../../../support/use-started.ts";

/** Runs until the test creates the file `go`. */
const WAITING = `
import { existsSync, writeFileSync } from "node:fs";
export const handler = async () => {
  writeFileSync("begun", "");
  while (!existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 5));
};`;

const watchdog = usePerFile(startWatchdog);
let functions: Functions;
afterEach(() => functions.stop());

const model = (name: string, reservedConcurrency?: number): FunctionModel => ({
  logicalId: name,
  name,
  arn: `arn:${name}`,
  roleArn: "",
  codeDirectory: functionDirectory(WAITING),
  handler: "index.handler",
  environment: {},
  timeoutSeconds: 10,
  memoryMb: 128,
  ...(reservedConcurrency !== undefined && { reservedConcurrency }),
});

const start = (models: readonly FunctionModel[], accountConcurrency: number) => {
  functions = createFunctions({
    functions: models,
    accountConcurrency,
    maxInstances: 10,
    clockOffsetMs: () => 0,
    watchdog,
    log: () => undefined,
    environmentOf: ({ codeDirectory }) => ({ LAMBDA_TASK_ROOT: codeDirectory, _HANDLER: "index.handler" }),
  });
};
const begun = async ({ codeDirectory }: FunctionModel) => {
  while (!existsSync(join(codeDirectory, "begun"))) await new Promise((resolve) => setTimeout(resolve, 5));
};
const release = (...models: readonly FunctionModel[]) => {
  for (const { codeDirectory } of models) writeFileSync(join(codeDirectory, "go"), "");
};
const THROTTLED = { ok: false, reason: "throttled", error: { errorType: "TooManyRequestsException" } };

describe("concurrency", () => {
  it("throttles queues and asynchronous events beyond a function's reserved concurrency; requests wait", async () => {
    const [bound, free] = [model("bound", 1), model("free")];
    start([bound, free], 1_000);
    const running = functions.invokeIfFree(bound.arn, "{}");
    await begun(bound);
    expect(await functions.invokeIfFree(bound.arn, "{}")).toMatchObject(THROTTLED);
    const request = functions.invoke(bound.arn, "{}");
    release(bound, free);
    expect(await functions.invokeIfFree(free.arn, "{}")).toMatchObject({ ok: true });
    expect(await running).toMatchObject({ ok: true });
    expect(await request).toMatchObject({ ok: true });
    expect(functions.list()).toMatchObject([{ instances: 1 }, { instances: 1 }]);
    expect(await functions.invokeIfFree(bound.arn, "{}")).toMatchObject({ ok: true });
  });

  it("throttles all functions without a reservation beyond what the account has left", async () => {
    const [one, other, reserved] = [model("one"), model("other"), model("reserved", 1)];
    start([one, other, reserved], 101);
    const waiting = Array.from({ length: 100 }, () => functions.invoke(one.arn, "{}"));
    expect(await functions.invokeIfFree(other.arn, "{}")).toMatchObject(THROTTLED);
    release(one, other, reserved);
    expect(await functions.invokeIfFree(reserved.arn, "{}")).toMatchObject({ ok: true });
    await Promise.all(waiting);
    expect(await functions.invokeIfFree(other.arn, "{}")).toMatchObject({ ok: true });
  });

  it("refuses reservations that leave less than 100 of the account's concurrency", () => {
    expect(() => start([model("greedy", 11)], 110)).toThrow("greedy: its reserved concurrency leaves less than 100");
    start([model("modest", 10)], 110);
  });
});
