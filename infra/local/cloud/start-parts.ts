import { join } from "node:path";
import { bucketRoutes } from "../buckets/bucket-routes.ts";
import type { RunningStack } from "../commands/stack-file.ts";
import type { AdvanceClock } from "../control/advance-clock.ts";
import { createAdvanceClock } from "../control/advance-clock.ts";
import { startControl } from "../control/control.ts";
import { platformRoutes, secretValuesOf } from "../control/control-platform.ts";
import { createDayTally, type DayTally } from "../control/day-tally.ts";
import { createActivity } from "../core/activity.ts";
import { createClock } from "../core/clock.ts";
import type { StackModel } from "../core/model.ts";
import type { Observe } from "../core/observation.ts";
import { startWatchdog } from "../core/watchdog.ts";
import { openDataDirectory } from "../data-directory/open-data-directory.ts";
import { startDynamoDb } from "../dynamodb/engine.ts";
import { createTables } from "../dynamodb/tables.ts";
import { sweepExpired } from "../dynamodb/ttl-sweep.ts";
import { observeRequests } from "../front-ends/observe-requests.ts";
import type { Denial, Gateway } from "../gateway/gateway.ts";
import { createAuthorizer } from "../iam/authorizer.ts";
import { startIssuer } from "../issuer/issuer.ts";
import type { Functions } from "../lambda/functions.ts";
import { createMailbox } from "../mail/mailbox.ts";
import { createSesAccount } from "../mail/ses-account.ts";
import type { ProviderSimulator } from "../provider/simulator.ts";
import { createFireSchedule, createSchedules } from "../schedules/schedules.ts";
import { readStack } from "../stack/read-stack.ts";
import { startCompute } from "./compute.ts";
import type { LocalCloudOptions } from "./local-cloud-options.ts";
import { holdFrontEndPorts, startFrontEnds } from "./start-front-ends.ts";
import { startProvider } from "./start-provider.ts";

const DEFAULT_AUDIENCE = "plant-store";
const SWEEP_INTERVAL_MS = 3_600_000;

/** The interface of a running local cloud. */
export type RunningParts = {
  stack: RunningStack;
  model: StackModel;
  functions: Pick<Functions, "invoke" | "list" | "replaceCode">;
  advanceClock: AdvanceClock;
  /** Calls that a role did not allow, in order; each was also logged. */
  denials: readonly Denial[];
  /** The clock's time, epoch ms. */
  now: () => number;
  calls: Gateway["calls"];
  /** The demo account of the simulator; undefined if another server replaces the simulator. */
  demo: ProviderSimulator["demo"] | undefined;
};

/**
 * Starts the parts of a local cloud in the order in which they need each other.
 * @param onStop registers work for the stop, which runs in reverse order; a failed start runs it too
 */
export const startParts = async (
  options: LocalCloudOptions,
  onStop: (stop: () => unknown) => void,
): Promise<RunningParts> => {
  const { assemblyDirectory, dataDirectory, dynamodbEndpoint, maxInstances, accountConcurrency, log } = options;
  const say = (line: string) => log("local cloud", line);
  const { observe: watch = () => {} } = options;
  let tally: DayTally | undefined;
  const observe: Observe = (observation) => {
    tally?.count(observation);
    watch(observation);
  };
  const onError = (error: unknown) => say(error instanceof Error ? (error.stack ?? error.message) : String(error));

  // Checked and locked before all that reads or writes there.
  const data = options.openedDirectory ?? (await openDataDirectory(dataDirectory));
  onStop(() => data.release());
  const stopping = new AbortController();
  const watchdog = startWatchdog();
  onStop(() => watchdog.stop());

  const dynamodb = await startDynamoDb({
    dataDirectory,
    ...(dynamodbEndpoint !== undefined && { endpoint: dynamodbEndpoint }),
    onUnexpectedExit: () => say("the embedded DynamoDB has ended: stop and start again"),
  });
  onStop(() => dynamodb.stop());
  if (dynamodb.pid !== undefined) watchdog.guard(dynamodb.pid);

  // Templates ask for URLs, so the ports are chosen before they are read.
  const ports = await holdFrontEndPorts({ assemblyDirectory, port: options.port, onStop });
  const model = await readStack({
    assemblyDirectory,
    dataDirectory,
    urls: new Map([...ports].map(([logicalId, { url }]) => [logicalId, url])),
  });
  const authorizer = createAuthorizer(model);
  const clock = createClock(dataDirectory);
  const activity = createActivity();
  await createTables(dynamodb.endpoint, model.tables);

  // The API with the most routes is the first, and serves the console.
  const [apiUrl] = [...ports.values()].map(({ url }) => url);
  const { claimNames = { organization: "org_id", role: "org_role" } } = options;
  const issuer = await startIssuer({
    dataDirectory,
    audience: options.audience ?? DEFAULT_AUDIENCE,
    claimNames,
    clock,
    isRotating: options.isIssuerRotating,
    apiUrl,
    onError,
  });
  onStop(() => issuer.close());

  const audience = options.audience ?? DEFAULT_AUDIENCE;
  const provider = await startProvider({ ...options, clock, activity, apiUrl, onError, onStop });
  const overrides = {
    ISSUER: issuer.url,
    AUDIENCE: audience,
    // The embedded engine has one copy of the data: each read sees all earlier writes.
    ROLLUP_SETTLE_MS: "0",
    ...provider.environment,
    ...options.environment,
  };
  const { mailDirectory = join(dataDirectory, "mail") } = options;
  const mailbox = createMailbox({ directory: mailDirectory, clock, log: say });
  const sesAccount = createSesAccount();
  const { functions, denials, calls, deliver, mappings, buckets, ...messaging } = await startCompute({
    dataDirectory,
    ...(maxInstances !== undefined && { maxInstances }),
    ...(accountConcurrency !== undefined && { accountConcurrency }),
    ...(options.areQueuesFair !== undefined && { areQueuesFair: options.areQueuesFair }),
    log,
    model,
    authorizer,
    activity,
    clock,
    watchdog,
    dynamodbEndpoint: dynamodb.endpoint,
    overrides,
    secretValues: secretValuesOf(provider.platform),
    mailbox,
    sesAccount,
    stopping: stopping.signal,
    observe,
    onStop,
  });
  const countInvocations = () => functions.list().reduce((sum, { invocations }) => sum + invocations, 0);
  tally = createDayTally({ observe: watch, invocations: countInvocations });

  const schedules = createSchedules({
    schedules: model.schedules,
    dataDirectory,
    clock,
    fire: createFireSchedule(deliver, observe),
  });
  const sweep = async (nowMs: number) => {
    await sweepExpired(dynamodb.endpoint, model.tables, nowMs);
  };
  const sweeper = setInterval(() => sweep(clock.now()).catch(onError), SWEEP_INTERVAL_MS);
  onStop(() => clearInterval(sweeper));
  const advanceClock = createAdvanceClock({
    clock,
    activity,
    schedules,
    pollers: [mappings, ...provider.pollers],
    sweepExpired: sweep,
    stopping: stopping.signal,
    tally,
  });

  const control = await startControl({
    functions,
    schedules,
    ...messaging,
    clock,
    activity,
    advanceClock,
    onError,
    routes: {
      ...provider.controlRoutes,
      ...platformRoutes(provider.platform),
      ...mailbox.routes,
      ...sesAccount.routes,
      ...bucketRoutes(buckets),
    },
  });
  onStop(() => control.close());
  onStop(() => stopping.abort(new Error("the local cloud is stopping")));
  // Before the first request or firing: what is written from now on must not get lost unnoticed.
  data.complete();
  schedules.resume();
  mappings.poll();
  onStop(() => schedules.stop());

  const observed = observeRequests({ observe, functions: model.functions, organizationClaim: claimNames.organization });
  const frontEnds = await startFrontEnds({
    ports,
    model,
    functions,
    authorizer,
    clock,
    activity,
    observed,
    log: say,
    onStop,
  });
  if (frontEnds.webhookUrl !== undefined) provider.setPlatformUrl(`${frontEnds.webhookUrl}/-/platform`);
  return {
    stack: {
      ...frontEnds,
      issuerUrl: issuer.url,
      jwksUrl: issuer.jwksUrl,
      audience,
      providerUrl: provider.url,
      dynamodbUrl: dynamodb.endpoint,
      controlUrl: control.url,
      tables: model.tables.map(({ name }) => name),
      pid: process.pid,
    },
    model,
    functions,
    advanceClock,
    denials,
    now: clock.now,
    calls,
    demo: provider.demo,
  };
};
