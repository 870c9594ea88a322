import { describe, expect, it } from "@jest/globals";
import { type RunningStack, requireNotRunning } from "../../../../infra/local/commands/stack-file.ts";

const url = "http://127.0.0.1:3000";
const running: RunningStack = {
  apiUrl: url,
  consoleUrl: `${url}/console`,
  issuerUrl: url,
  jwksUrl: url,
  audience: "a",
  providerUrl: url,
  dynamodbUrl: url,
  controlUrl: url,
  tables: [],
  pid: process.pid,
};

describe("a second start in one checkout", () => {
  it("says where the service already runs, and how to stop it", () => {
    expect(() => requireNotRunning(running, 3_000)).toThrow(
      `the service already runs here, at ${url}/console (process ${process.pid}): use it, or stop it with Ctrl+C in its terminal`,
    );
  });

  it("goes on if nothing runs, if what ran has ended, and at another port", () => {
    for (const [stack, port] of [
      [undefined, 3_000],
      [Object.assign({}, running, { pid: 2 ** 30 }), 3_000],
      [running, 3_001],
    ] as const)
      expect(() => requireNotRunning(stack, port)).not.toThrow();
  });
});
