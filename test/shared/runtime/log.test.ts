import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { addLogIds, countMetric, withLogIds, writeLog } from "../../../shared/runtime/log.ts";

const written = jest.spyOn(process.stdout, "write");
beforeEach(() => void written.mockReturnValue(true));
afterEach(() => {
  written.mockReset();
  delete process.env.METRICS_NAMESPACE;
  delete process.env._X_AMZN_TRACE_ID;
});

const lines = () => written.mock.calls.map(([line]) => JSON.parse(String(line)));
const log = (message: string) => writeLog("info", message, {});

describe("a log line", () => {
  it("carries the ids of its work, those known before it was written", async () => {
    await withLogIds({ requestId: "request-1" }, async () => {
      log("before");
      addLogIds({ organizationId: "acme" });
      await Promise.resolve();
      withLogIds({ runId: "run-1" }, () => log("inside"));
      log("after");
    });
    log("outside");
    expect(lines()).toEqual([
      { level: "info", message: "before", requestId: "request-1" },
      { level: "info", message: "inside", requestId: "request-1", organizationId: "acme", runId: "run-1" },
      { level: "info", message: "after", requestId: "request-1", organizationId: "acme" },
      { level: "info", message: "outside" },
    ]);
  });

  it("carries its own ids if works overlap, also after an answer", async () => {
    const work = (requestId: string, ms: number) =>
      withLogIds({ requestId }, async () => {
        addLogIds({ organizationId: `organization of ${requestId}` });
        await sleep(ms);
        log("end");
      });
    await Promise.all([work("slow", 20), work("fast", 1)]);
    expect(lines().map(({ requestId, organizationId }) => [requestId, organizationId])).toEqual([
      ["fast", "organization of fast"],
      ["slow", "organization of slow"],
    ]);
  });

  it("names the trace that X-Ray records, and none that it does not", () => {
    process.env._X_AMZN_TRACE_ID = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1";
    log("traced");
    process.env._X_AMZN_TRACE_ID = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=0";
    log("not traced");
    expect(lines().map(({ traceId }) => traceId)).toEqual(["1-5759e988-bd862e3fe1be46a994272793", undefined]);
  });
});

describe("the metrics of a log line", () => {
  const directive = (...names: string[]) => ({
    Timestamp: expect.any(Number),
    CloudWatchMetrics: [
      { Namespace: "PlantStore/dev", Dimensions: [[]], Metrics: names.map((Name) => ({ Name, Unit: "Count" })) },
    ],
  });

  it("are embedded in the stage's namespace", () => {
    process.env.METRICS_NAMESPACE = "PlantStore/dev";
    writeLog("error", "lost", { alarm: "event_not_recorded" });
    writeLog("info", "refused", {}, { RefusedTokens: 1 });
    writeLog("info", "nothing", {});
    expect(lines()).toEqual([
      {
        level: "error",
        message: "lost",
        alarm: "event_not_recorded",
        OperatorAlarms: 1,
        _aws: directive("OperatorAlarms"),
      },
      { level: "info", message: "refused", RefusedTokens: 1, _aws: directive("RefusedTokens") },
      { level: "info", message: "nothing" },
    ]);
  });

  it("are counted during the work, and written once, with its next line", async () => {
    process.env.METRICS_NAMESPACE = "PlantStore/dev";
    await withLogIds({ requestId: "request-1" }, async () => {
      countMetric("StoreFailures");
      await withLogIds({ messageId: "message-1" }, async () => countMetric("StoreFailures"));
      log("end");
      log("later");
    });
    expect(lines()).toEqual([
      { level: "info", message: "end", requestId: "request-1", StoreFailures: 2, _aws: directive("StoreFailures") },
      { level: "info", message: "later", requestId: "request-1" },
    ]);
  });

  it("are left out without a namespace", () => {
    writeLog("error", "lost", { alarm: "event_not_recorded" });
    expect(lines()).toEqual([{ level: "error", message: "lost", alarm: "event_not_recorded" }]);
  });
});
