import { afterEach, expect, it, jest } from "@jest/globals";
import { callStore } from "../../../shared/runtime/call-store.ts";
import { withDeadline } from "../../../shared/runtime/deadline.ts";
import type { RequestIdentity } from "../../../shared/terms/idempotency-key.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { identityAt, keyedIdentity } from "../../support/request-identity.ts";
import { useEngine } from "../../support/use-table.ts";
import { createInstance, fail, start, testClock } from "./instance.ts";

quietLog();

const database = useEngine("circuits");
afterEach(() => void jest.useRealTimers());

const by = (organizationId: string, identity = identityAt(start)) => ({
  caller: { organizationId, userId: "alice", sessionId: undefined },
  origin: { requestId: "request", ipAddress: "192.0.2.7" },
  identity,
});

it("answers with the circuit after the command, and its counts as before the command", async () => {
  const instance = createInstance(database, testClock().clock);
  for (let i = 0; i < 6; i++) await instance.guard("counted", fail).catch(() => undefined);
  const opened = await instance.changeCircuit({ action: "force_open", reason: "incident" }, by("counted"));
  expect(opened).toMatchObject({ state: "open", forced: true, changedBy: "alice", reason: "incident" });
  expect(opened).toMatchObject({ totalRequests: 6, failedRequests: 5, rejectedRequests: 1 });
  await expect(instance.reader.readOrganization("counted")).resolves.toEqual(opened);
  const closed = await instance.changeCircuit({ action: "reset" }, by("counted"));
  expect(closed).toMatchObject({ state: "closed", forced: false, totalRequests: 0, failureRate: 0 });
  await expect(instance.reader.readOrganization("counted")).resolves.toEqual(closed);
});

it("succeeds if the store hangs from the look for an outage on", async () => {
  jest.useFakeTimers({ doNotFake: ["Date", "hrtime", "nextTick", "queueMicrotask", "setImmediate"] });
  const looked = Promise.withResolvers<void>();
  const instance = createInstance(database, testClock().clock, {
    onTransition: () =>
      callStore(
        ({ abortSignal }) =>
          new Promise((_, reject) => {
            abortSignal.addEventListener("abort", () => reject(abortSignal.reason));
            looked.resolve();
          }),
      ),
  });
  const answered = withDeadline(() => instance.changeCircuit({ action: "force_open" }, by("hanging")));
  await looked.promise;
  await jest.advanceTimersByTimeAsync(4_600);
  await expect(answered).resolves.toMatchObject({ state: "open", forced: true, changedBy: "alice" });
  // The transition waits in the item for the next reader.
  await expect(instance.store.read("hanging")).resolves.toMatchObject({ announced: 0, generation: 1 });
});

it("applies a repeated command once, and not if another command came in between", async () => {
  const instance = createInstance(database, testClock().clock);
  const { first, repeated } = keyedIdentity(start);
  const open = (identity: RequestIdentity) =>
    instance.changeCircuit({ action: "force_open" }, by("repeated", identity));
  const opened = await open(first);
  await expect(open(repeated)).resolves.toEqual(opened);
  await instance.changeCircuit({ action: "reset" }, by("repeated", identityAt(start + 1)));
  await expect(open(repeated)).resolves.toMatchObject({ state: "closed", forced: false });
  expect(instance.transitions.map(({ cause }) => cause)).toEqual(["force_open", "reset"]);
});

it("applies a command whose first attempt died before it", async () => {
  const instance = createInstance(database, testClock().clock);
  await instance.changeCircuit({ action: "force_close" }, by("died", identityAt(start - 1)));
  const { repeated } = keyedIdentity(start);
  await expect(instance.changeCircuit({ action: "force_open" }, by("died", repeated))).resolves.toMatchObject({
    state: "open",
  });
});

it("applies a repeated command over an id of an earlier version, which does not sort by time", async () => {
  const instance = createInstance(database, testClock().clock);
  await instance.changeCircuit({ action: "reset" }, by("upgraded"));
  const baseline = { total: 0, failed: 0, rejected: 0 };
  await instance.store.operate("upgraded", {
    action: "force_close",
    at: start,
    id: "zT9-q_bR3xYw",
    by: "bob",
    baseline,
  });
  const { repeated } = keyedIdentity(start);
  await expect(instance.changeCircuit({ action: "force_open" }, by("upgraded", repeated))).resolves.toMatchObject({
    state: "open",
  });
});
