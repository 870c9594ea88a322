/** Does an operation, and records it as one security event, however it ended. */
import type { Clock } from "../runtime/clock.ts";
import type { Recorder } from "../security/recorder.ts";
import { type OperationFacts, type OperationReport, operationEvent } from "./operation-event.ts";
import type { OperationContext } from "./provider-access.ts";

type Recorded<Value> = Pick<OperationFacts, "action" | "type"> & {
  result?: (value: Value) => OperationFacts["result"];
};

export type RecordOperation = ReturnType<typeof createRecordOperation>;

export const createRecordOperation =
  ({ recorder, clock }: { recorder: Pick<Recorder, "record">; clock: Clock }) =>
  async <Value>(
    { action, type, result }: Recorded<Value>,
    context: OperationContext,
    work: (report: OperationReport) => Promise<Value>,
  ): Promise<Value> => {
    const startedAt = clock();
    const report: OperationReport = { durationMs: 0, pacedMs: 0, attempts: 0, rateLimited: 0, retryAfterMs: 0 };
    const facts = { action, ...(type !== undefined && { type }) };
    const end = () => {
      report.durationMs = Math.max(0, clock() - startedAt - report.pacedMs);
    };
    let value: Value;
    try {
      value = await work(report);
    } catch (error) {
      end();
      await recorder.record(operationEvent(facts, context, report, { error }));
      throw error;
    }
    end();
    const said = result?.(value);
    await recorder.record(operationEvent({ ...facts, ...(said !== undefined && { result: said }) }, context, report));
    return value;
  };
