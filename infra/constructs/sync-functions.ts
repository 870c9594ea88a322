import { Duration } from "aws-cdk-lib";
import { Construct } from "constructs";
import type { AccessTo } from "./access/access-to.ts";
import type { ServiceEventBus } from "./event-bus.ts";
import type { DeploymentConfig } from "./resources/deployment-config.ts";
import { runEvery, runHourly, runOn } from "./schedules.ts";
import { ServiceFunction } from "./service-function.ts";

type Props = {
  access: AccessTo;
  events: Pick<ServiceEventBus, "bus">;
  config: Pick<DeploymentConfig, "SYNC_INTERVAL_HOURS">;
};

/** What syncs without anybody asking: the schedule, the worker of runs, and who looks after it. docs/sync.md. */
export class SyncFunctions extends Construct {
  constructor(scope: Construct, id: string, { access, events, config }: Props) {
    super(scope, id);

    const dispatch = new ServiceFunction(this, "DispatchSyncs", {
      file: "dispatch-syncs",
      description: "Asks for a sync run of each connected organization",
      access: access.dispatchSyncs,
      timeout: Duration.minutes(15),
    });
    runEvery(dispatch, config.SYNC_INTERVAL_HOURS);
    runOn(events.bus, "SyncDispatchContinued", dispatch);

    const run = new ServiceFunction(this, "RunSync", {
      file: "run-sync",
      description: "Works on sync runs",
      access: access.runSyncs,
      timeout: Duration.minutes(5),
    });
    runOn(events.bus, "SyncRequested", run);

    const resume = new ServiceFunction(this, "ResumeStalledSyncs", {
      file: "resume-stalled-syncs",
      description: "Has sync runs gone on with that lost their worker",
      access: access.resumeSyncs,
      timeout: Duration.minutes(5),
    });
    runHourly(resume, 21);
  }
}
