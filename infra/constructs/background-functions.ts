import { Duration } from "aws-cdk-lib";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { Construct } from "constructs";
import type { AccessTo } from "./access/access-to.ts";
import type { ServiceEventBus } from "./event-bus.ts";
import { runHourly } from "./schedules.ts";
import { ServiceFunction } from "./service-function.ts";

/** Statistics read rollups eventually consistent: an hour stays open until what was counted of it is everywhere. */
const ROLLUP_SETTLE = Duration.seconds(3);

type Props = { access: AccessTo; events: ServiceEventBus };

/** The functions that no caller waits for: what schedules and queues start. */
export class BackgroundFunctions extends Construct {
  constructor(scope: Construct, id: string, { access, events }: Props) {
    super(scope, id);

    const closeHours = new ServiceFunction(this, "CloseSecurityHours", {
      file: "close-security-hours",
      description: "Counts up the hours of security events that are over",
      access: access.closeSecurityHours,
      timeout: Duration.minutes(5),
    });
    closeHours.function.addEnvironment("ROLLUP_SETTLE_MS", String(ROLLUP_SETTLE.toMilliseconds()));
    // After detection: judging-functions.ts.
    runHourly(closeHours, 11);

    const sweepOutbox = new ServiceFunction(this, "SweepAlertOutbox", {
      file: "sweep-alert-outbox",
      description: "Publishes changes of alerts that nobody is known to have published",
      access: access.sweepAlertOutbox,
      timeout: Duration.minutes(5),
    });
    runHourly(sweepOutbox, 16);

    const restore = new ServiceFunction(this, "RestoreSecurityEvents", {
      file: "restore-security-events",
      description: "Records the security events that could not be recorded at their time",
      access: access.restoreSecurityEvents,
      timeout: Duration.seconds(30),
    });
    restore.function.addEventSource(
      new SqsEventSource(events.unrecorded, { batchSize: 10, reportBatchItemFailures: true }),
    );
  }
}
