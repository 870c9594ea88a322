/** Does an operation, and records it as one security event, however it ended. */

import type { Clock } from "../runtime/clock.ts";
import type { Recorder } from "../security/recorder.ts";
import type { NewSecurityEvent } from "../security/security-event.ts";
import type { LatencyObserver } from "./latency-observer.ts";
import { type OperationFacts, type OperationReport, operationEvent } from "./operation-event.ts";
import type { OperationContext } from "./provider-access.ts";

type Recorded<Value> = Pick<OperationFacts, "action" | "type"> & {
  result?: (value: Value) => OperationFacts["result"];
};

export type RecordOperation = ReturnType<typeof createRecordOperation>;

type Parts = {
  recorder: Pick<Recorder, "record">;
  /** Told how long each operation took that reached the provider. */
  latency?: Pick<LatencyObserver, "observe"> | undefined;
  clock: Clock;
};

export const createRecordOperation = ({ recorder, latency, clock }: Parts) => {
  const record = async (
    said: NewSecurityEvent,
    { organizationId }: OperationContext,
    { attempts, durationMs }: OperationReport,
  ): Promise<void> => {
    const event = await recorder.record(said);
    if (attempts > 0)
      latency?.observe(organizationId, { id: event?.id ?? "", at: event?.timestamp ?? clock(), durationMs });
  };

  return async <Value>(
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
      await record(operationEvent(facts, context, report, { error }), context, report);
      throw error;
    }
    end();
    const said = result?.(value);
    const succeeded = { ...facts, ...(said !== undefined && { result: said }) };
    await record(operationEvent(succeeded, context, report), context, report);
    return value;
  };
};
