import type { Activity } from "./core/activity.ts";
import type { Clock } from "./core/clock.ts";
import type { StackModel } from "./core/model.ts";
import type { Watchdog } from "./core/watchdog.ts";
import { type Denial, type GatewayPort, startGateway } from "./gateway/gateway.ts";
import { createKmsService } from "./gateway/kms-service.ts";
import type { Authorizer } from "./iam/authorizer.ts";
import { functionEnvironment } from "./lambda/environment.ts";
import { createFunctions, type Functions } from "./lambda/functions.ts";
import type { LocalCloudOptions } from "./local-cloud-options.ts";
import { createMessaging, type Messaging } from "./messaging.ts";

const DEFAULT_MAX_INSTANCES = 10;

export type Compute = Omit<Messaging, "services"> & { functions: Functions; denials: readonly Denial[] };

/**
 * The functions and what they call and are called by: gateway, buses, queues.
 * @param options.onStop takes what is to be done at stop, last first
 */
export const startCompute = async (
  options: Pick<LocalCloudOptions, "dataDirectory" | "maxInstances" | "log"> & {
    model: StackModel;
    authorizer: Authorizer;
    activity: Activity;
    clock: Clock;
    watchdog: Watchdog;
    gatewayPort: GatewayPort;
    dynamodbEndpoint: string;
    /** Replaces variables that templates declare. */
    overrides: Readonly<Record<string, string>>;
    stopping: AbortSignal;
    onStop: (stop: () => unknown) => void;
  },
): Promise<Compute> => {
  const { model, clock, gatewayPort, overrides, log, onStop, maxInstances = DEFAULT_MAX_INSTANCES } = options;
  const say = (line: string) => log("local cloud", line);
  const functions = createFunctions({
    functions: model.functions,
    maxInstances,
    clockOffsetMs: clock.offsetMs,
    watchdog: options.watchdog,
    log,
    environmentOf: (fn) =>
      functionEnvironment({
        fn,
        region: model.region,
        endpointUrl: gateway.url,
        credentials: gateway.credentialsFor(fn.arn),
        overrides,
        nowMs: clock.now(),
      }),
  });

  const denials: Denial[] = [];
  const onDenied = (denial: Denial) => {
    denials.push(denial);
    const { logicalId, action, resource, reason } = denial;
    say(`DENIED ${logicalId} may not ${action} on ${resource} ${reason}`);
  };
  const { services, ...messaging } = createMessaging({
    ...options,
    functions,
    gatewayUrl: gatewayPort.url,
    onDenied,
    log: say,
  });
  onStop(() => messaging.queues.close());
  const gateway = await startGateway({
    ...options,
    onDenied,
    services: { ...services, kms: createKmsService(options) },
    port: gatewayPort,
  });
  onStop(() => gateway.close());
  onStop(() => functions.stop());
  onStop(() => messaging.mappings.stop());
  return { ...messaging, functions, denials };
};
