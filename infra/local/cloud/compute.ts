import { type ObjectBuckets, openObjectBuckets } from "../buckets/buckets.ts";
import type { Activity } from "../core/activity.ts";
import type { Clock } from "../core/clock.ts";
import type { StackModel } from "../core/model.ts";
import type { Observe } from "../core/observation.ts";
import type { Watchdog } from "../core/watchdog.ts";
import { createDeliver, type Deliver } from "../events/deliver.ts";
import { createEventBuses, type EventBuses } from "../events/event-buses.ts";
import { createMailFeedback } from "../events/mail-feedback.ts";
import { createEventsService } from "../gateway/events-service.ts";
import { type Denial, type Gateway, startGateway } from "../gateway/gateway.ts";
import { createKmsService } from "../gateway/kms-service.ts";
import { createS3Service } from "../gateway/s3-service.ts";
import { createSecretsManagerService, type SecretValues } from "../gateway/secrets-manager-service.ts";
import { createSesService } from "../gateway/ses-service.ts";
import { createSqsService } from "../gateway/sqs-service.ts";
import type { Authorizer } from "../iam/authorizer.ts";
import { functionEnvironment } from "../lambda/environment.ts";
import { createFunctions, type Functions } from "../lambda/functions.ts";
import { createAsyncInvoker } from "../lambda/invoke-asynchronously.ts";
import type { Mailbox } from "../mail/mailbox.ts";
import type { SesAccount } from "../mail/ses-account.ts";
import { createEventSourceMappings, type EventSourceMappings } from "../queues/event-source-mappings.ts";
import { openQueues, type Queues } from "../queues/queues.ts";
import { sourceName } from "../terminal/log-entry.ts";
import type { LocalCloudOptions } from "./local-cloud-options.ts";

const DEFAULT_MAX_INSTANCES = 10;
/** The default quota of a region. https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
const DEFAULT_ACCOUNT_CONCURRENCY = 1_000;

/** The functions, what calls them and what they call. */
export type Compute = {
  functions: Functions;
  buses: EventBuses;
  queues: Queues;
  buckets: ObjectBuckets;
  mappings: EventSourceMappings;
  deliver: Deliver;
  denials: readonly Denial[];
  calls: Gateway["calls"];
};

/**
 * Starts the gateway; makes functions, buses, rules and queues, and connects them.
 * @param options.onStop registers work for the stop, which runs in reverse order
 * @throws TemplateError for a mapping whose function may not receive from its queue.
 */
export const startCompute = async (
  options: Pick<
    LocalCloudOptions,
    "dataDirectory" | "maxInstances" | "accountConcurrency" | "areQueuesFair" | "log"
  > & {
    model: StackModel;
    authorizer: Authorizer;
    activity: Activity;
    clock: Clock;
    watchdog: Watchdog;
    dynamodbEndpoint: string;
    /** Replaces variables that the template declares. */
    overrides: Readonly<Record<string, string>>;
    secretValues: SecretValues;
    mailbox: Mailbox;
    sesAccount: SesAccount;
    stopping: AbortSignal;
    observe: Observe;
    onStop: (stop: () => unknown) => void;
  },
): Promise<Compute> => {
  const { model, clock, authorizer, activity, stopping, dataDirectory, observe, onStop } = options;
  const { maxInstances = DEFAULT_MAX_INSTANCES, accountConcurrency = DEFAULT_ACCOUNT_CONCURRENCY } = options;
  const log = (line: string) => options.log("local cloud", line);
  const denials: Denial[] = [];
  const onDenied = (denial: Denial) => {
    denials.push(denial);
    const { logicalId, action, resource, reason } = denial;
    log(
      `DENIED ${sourceName(logicalId)} may not ${action} on ${resource} ${reason}; the function's rights are in infra/constructs/grants.ts`,
    );
  };

  let gateway: Gateway | undefined;
  const functions = createFunctions({
    functions: model.functions,
    maxInstances,
    accountConcurrency,
    clockOffsetMs: clock.offsetMs,
    watchdog: options.watchdog,
    log: options.log,
    environmentOf: (fn) => {
      if (gateway === undefined) throw new Error("the gateway has not started");
      return functionEnvironment({
        fn,
        region: model.region,
        endpointUrl: gateway.url,
        credentials: gateway.credentialsFor(fn.arn),
        overrides: options.overrides,
        nowMs: clock.now(),
      });
    },
  });
  const queues = openQueues({ queues: model.queues, dataDirectory, clock, isFair: options.areQueuesFair ?? true });
  onStop(() => queues.close());
  const buckets = openObjectBuckets({ buckets: model.buckets, dataDirectory, clock });
  onStop(() => buckets.close());
  const invokeAsynchronously = createAsyncInvoker({ functions, activity, log, stopping });
  const deliver = createDeliver({ authorizer, invokeAsynchronously, queues, activity, log });
  const buses = createEventBuses({ model, clock, deliver, log, observe });
  const started = await startGateway({
    model,
    authorizer,
    dynamodbEndpoint: options.dynamodbEndpoint,
    onDenied,
    services: {
      events: createEventsService({ model, buses }),
      kms: createKmsService(options),
      s3: createS3Service({ buckets, clock }),
      secretsmanager: createSecretsManagerService({ model, values: options.secretValues }),
      ses: createSesService({
        model,
        mailbox: options.mailbox,
        account: options.sesAccount,
        feedback: createMailFeedback({ model, buses, clock }),
      }),
      sqs: createSqsService({ model, queues }),
    },
  });
  gateway = started;
  onStop(() => started.close());
  onStop(() => functions.stop());
  const mappings = createEventSourceMappings(model.eventSourceMappings, authorizer, {
    queues,
    functions,
    activity,
    clock,
    log,
    observe,
  });
  onStop(() => mappings.stop());
  return { functions, buses, queues, buckets, mappings, deliver, denials, calls: started.calls };
};
