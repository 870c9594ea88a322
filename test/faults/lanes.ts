/**
 * Deployed functions behind fault proxies. A bench has the assembly, an issuer, the provider's simulator and any number
 * of lanes. A lane has its own engine, gateway, bus and proxies, and runs functions as the local cloud does: the bundle
 * in a process of its own, with the access key and the rights of its role. Nothing happens by itself in a lane: no
 * schedule fires, and published events start nothing until the test invokes their functions.
 *
 *   const bench = await startFaultBench();
 *   const lane = await bench.lane();
 *   const token = await bench.mint({ organizationId: "acme", role: "admin", userId: "ada" });
 *   lane.inject({ call: "dynamodb:PutItem:Plants#1", fault: "lost_reset", times: "once" });
 *   const answer = await lane.request("POST", "/plants", { token, body: { id: 1, name: "Monstera" } });
 *   lane.inject(undefined);                               // no more faults
 *   lane.requests();                                      // the calls so far, by name, with their faults
 *   await lane.invoke("run-sync", lane.published()[0]);   // any function by its file's name, with any event
 *   for (const { name, payload } of lane.deliveries()) await lane.invoke(name, payload); // what the bus would start
 *   await lane.restore(snapshot);                         // lane.snapshot() of earlier
 *   await lane.freshInstances();                          // cold starts from here on
 *   await bench.stop();
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { openObjectBuckets } from "../../infra/local/buckets/buckets.ts";
import { frontEndIds } from "../../infra/local/cloud/start-front-ends.ts";
import { mintToken } from "../../infra/local/commands/mint-token.ts";
import { platformEnvironment, secretValuesOf } from "../../infra/local/control/control-platform.ts";
import { createActivity } from "../../infra/local/core/activity.ts";
import { createClock } from "../../infra/local/core/clock.ts";
import type { FunctionModel, StackModel } from "../../infra/local/core/model.ts";
import { LOCAL_PLATFORM } from "../../infra/local/core/platform.ts";
import { startWatchdog } from "../../infra/local/core/watchdog.ts";
import { engineClient } from "../../infra/local/dynamodb/client.ts";
import { createTables } from "../../infra/local/dynamodb/tables.ts";
import { createEventBuses } from "../../infra/local/events/event-buses.ts";
import { createMailFeedback } from "../../infra/local/events/mail-feedback.ts";
import { targetPayload } from "../../infra/local/events/target-input.ts";
import { createHttpEvent } from "../../infra/local/front-ends/http-event.ts";
import { respond } from "../../infra/local/front-ends/http-response.ts";
import { createEventsService } from "../../infra/local/gateway/events-service.ts";
import { type Denial, startGateway } from "../../infra/local/gateway/gateway.ts";
import { createKmsService } from "../../infra/local/gateway/kms-service.ts";
import { createS3Service } from "../../infra/local/gateway/s3-service.ts";
import { createSecretsManagerService } from "../../infra/local/gateway/secrets-manager-service.ts";
import { createSesService } from "../../infra/local/gateway/ses-service.ts";
import { createSqsService } from "../../infra/local/gateway/sqs-service.ts";
import { createRouter } from "../../infra/local/http/router.ts";
import { createAuthorizer } from "../../infra/local/iam/authorizer.ts";
import { startIssuer } from "../../infra/local/issuer/issuer.ts";
import { functionEnvironment } from "../../infra/local/lambda/environment.ts";
import type { InvocationResult } from "../../infra/local/lambda/function-error.ts";
import { createFunctions, type Functions } from "../../infra/local/lambda/functions.ts";
import { createSesAccount } from "../../infra/local/mail/ses-account.ts";
import { startProviderSimulator } from "../../infra/local/provider/simulator.ts";
import { openQueues } from "../../infra/local/queues/queues.ts";
import { readStack } from "../../infra/local/stack/read-stack.ts";
import { documentTranslation } from "../../shared/runtime/document-translation.ts";
import { assemblyDirectory } from "../support/assembly.ts";
import { startTestDynamoDb } from "../support/test-dynamodb.ts";
import { startWebhookReceiver } from "../support/webhook-receiver.ts";
import type { SeenRequest } from "./fault.ts";
import { type FaultPlan, followPlan } from "./fault-plan.ts";
import { startFaultProxy } from "./fault-proxy.ts";
import { openTables, type Snapshot, shortName } from "./tables.ts";

/** The webhook URL that functions see. Requests reach the function by `lane.webhook`. */
const WEBHOOK_URL = "https://webhooks.invalid";
const AUDIENCE = "plant-store";

export type RequestParts = { token?: string; body?: unknown; headers?: Record<string, string> };
export type LaneAnswer = { status: number; headers: Record<string, string>; text: string; body: unknown; ms: number };
/** An object of a bucket of the stack. */
export type LaneObject = { bucket: string; key: string; body: Buffer };
export type Lane = Awaited<ReturnType<FaultBench["lane"]>>;
export type FaultBench = Awaited<ReturnType<typeof startFaultBench>>;

/** `create-plant` for `…FunctionsCreatePlantFunction1367E372`. */
const fileNameOf = ({ logicalId }: FunctionModel): string =>
  (/([A-Z][a-z]+)((?:[A-Z][a-z]+)+)Function[0-9A-F]{8}$/.exec(logicalId)?.[2] ?? logicalId)
    .replace(/(?!^)[A-Z]/g, "-$&")
    .toLowerCase();

const readModel = async (dataDirectory: string): Promise<StackModel> => {
  const { apis, functionUrls } = await frontEndIds(assemblyDirectory);
  const urls = new Map([...apis, ...functionUrls].map((id) => [id, WEBHOOK_URL]));
  return readStack({ assemblyDirectory, dataDirectory, urls });
};

const parseText = (text: string): unknown => {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Starts a bench. Stop it in `afterAll`. */
export const startFaultBench = async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), "fault-bench-"));
  const stops: (() => unknown)[] = [() => rmSync(dataDirectory, { recursive: true, force: true })];
  const onError = (error: unknown) => console.error("fault bench:", error);
  const watchdog = startWatchdog();
  stops.push(() => watchdog.stop());
  const clock = createClock(dataDirectory);
  const model = await readModel(dataDirectory);
  const authorizer = createAuthorizer(model);
  const claimNames = { organization: "org_id", role: "org_role" };
  const issuer = await startIssuer({ dataDirectory, audience: AUDIENCE, claimNames, clock, onError });
  stops.push(() => issuer.close());
  const provider = await startProviderSimulator({ dataDirectory, clock, activity: createActivity(), onError });
  stops.push(() => provider.close());
  const receiver = await startWebhookReceiver();
  stops.push(receiver.stop);
  const functionsByFile = new Map(model.functions.map((fn) => [fileNameOf(fn), fn]));

  const functionOf = (name: string): FunctionModel => {
    const found = functionsByFile.get(name);
    if (found === undefined)
      throw new Error(`no function ${name}; there are: ${[...functionsByFile.keys()].join(", ")}`);
    return found;
  };
  const fileOf = (arn: string): string => {
    const found = model.functions.find((fn) => fn.arn === arn);
    if (found === undefined) throw new Error(`${arn} is not a function`);
    return fileNameOf(found);
  };

  /** Calls a route of the simulator's control server (docs/provider-simulator.md), such as `POST /provider/accounts`. */
  const control = async <Body>(route: string, body?: object, query = ""): Promise<Body> => {
    const work = provider.controlRoutes[route];
    if (work === undefined) throw new Error(`the simulator has no route ${route}`);
    const answer = await work({ parameters: {}, query: new URLSearchParams(query), body });
    if (answer.status >= 300) throw new Error(`${route} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body as Body;
  };

  /** Starts a lane. @param options.environment replaces variables of functions. */
  const lane = async (options: { environment?: Readonly<Record<string, string>> } = {}) => {
    const engine = await startTestDynamoDb();
    if (engine.pid !== undefined) watchdog.guard(engine.pid);
    await createTables(engine.endpoint, model.tables);
    const client = engineClient(engine.endpoint);
    const lines: string[] = [];
    const denials: Denial[] = [];
    let functions: Functions | undefined;
    let aheadMs = 0;
    const log = (line: string) => lines.push(line);
    const newBuses = () => createEventBuses({ model, clock, deliver: async () => {}, log });
    let buses = newBuses();
    const laneDirectory = mkdtempSync(join(dataDirectory, "lane-"));
    const queues = openQueues({ queues: model.queues, dataDirectory: laneDirectory, clock });
    const buckets = openObjectBuckets({ buckets: model.buckets, dataDirectory: laneDirectory, clock });
    const forgottenMessages = new Set<string>();
    let mails = 0;
    /** The messages that functions have sent; published events are not put into queues. */
    const queued = () =>
      model.eventSourceMappings.flatMap(({ queueArn, functionArn }) =>
        (queues.find(queueArn)?.peek(Number.MAX_SAFE_INTEGER) ?? [])
          .filter(({ id }) => !forgottenMessages.has(id))
          .map(({ id, body }) => ({ name: fileOf(functionArn), queueArn, id, body })),
      );
    const batchOf = (queueArn: string, messageId: string, body: string): string => {
      const message = { messageId, receiptHandle: messageId, body, eventSourceARN: queueArn };
      return JSON.stringify({ Records: [{ ...message, attributes: { ApproximateReceiveCount: "1" } }] });
    };
    const gateway = await startGateway({
      model,
      authorizer,
      dynamodbEndpoint: engine.endpoint,
      onDenied: (denial) => denials.push(denial),
      services: {
        events: createEventsService({ model, buses: { publish: (...event) => buses.publish(...event) } }),
        kms: createKmsService({ model, dataDirectory, clock }),
        s3: createS3Service({ buckets, clock }),
        secretsmanager: createSecretsManagerService({ model, values: secretValuesOf({ ...LOCAL_PLATFORM }) }),
        ses: createSesService({
          model,
          mailbox: { deliver: () => `mail-${mails++}` },
          account: createSesAccount(),
          feedback: createMailFeedback({ model, clock, buses: { publish: (...event) => buses.publish(...event) } }),
        }),
        sqs: createSqsService({ model, queues }),
      },
    });
    const aws = await startFaultProxy(gateway.url);
    const atProvider = await startFaultProxy(provider.url);
    const overrides = {
      ISSUER: issuer.url,
      AUDIENCE,
      ROLLUP_SETTLE_MS: "0",
      PROVIDER_API_URL: atProvider.url,
      PROVIDER_AUTHORIZE_URL: provider.authorizeUrl,
      ...platformEnvironment({ ...LOCAL_PLATFORM }),
      ...options.environment,
    };
    const startFunctions = (): Functions =>
      createFunctions({
        functions: model.functions,
        maxInstances: 10,
        accountConcurrency: 1_000,
        clockOffsetMs: () => aheadMs,
        watchdog,
        log: (source, line) => lines.push(`${source} | ${line}`),
        environmentOf: (fn) =>
          functionEnvironment({
            fn,
            region: model.region,
            endpointUrl: aws.url,
            credentials: gateway.credentialsFor(fn.arn),
            overrides,
            nowMs: clock.now() + aheadMs,
          }),
      });

    const invokeFunction = async (fn: FunctionModel, payload: string): Promise<InvocationResult & { ms: number }> => {
      functions ??= startFunctions();
      let startedAt = performance.now();
      // Without the time of a cold start, which a client of a warm instance does not wait for.
      const result = await functions.invoke(fn.arn, payload, () => {
        startedAt = performance.now();
      });
      return { ...result, ms: performance.now() - startedAt };
    };

    const call = async (
      fn: FunctionModel,
      [method, target]: readonly [string, string],
      routing: { routeKey: string; path: string; pathParameters: Record<string, string> },
      { token, body, headers = {} }: RequestParts,
    ): Promise<LaneAnswer> => {
      const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
      const sent = {
        host: "api.invalid",
        "user-agent": "fault-harness",
        ...(text !== undefined && { "content-type": "application/json" }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      };
      const event = createHttpEvent(
        {
          method,
          target,
          httpVersion: "1.1",
          rawHeaders: Object.entries(sent).flat(),
          body: text === undefined ? undefined : Buffer.from(text),
          sourceIp: "127.0.0.1",
        },
        {
          ...routing,
          accountId: model.accountId,
          apiId: "api",
          port: 443,
          requestId: `req-${lines.length}-${Date.now()}`,
          nowMs: clock.now(),
        },
      );
      const { ms, ...result } = await invokeFunction(fn, JSON.stringify(event));
      const answer = respond(result);
      const answered = answer.body.toString();
      const flat = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
      return {
        status: answer.statusCode,
        headers: Object.fromEntries(flat),
        text: answered,
        body: parseText(answered),
        ms,
      };
    };

    const route = createRouter(model.httpApis[0]?.routes ?? []);
    const requestsSoFar = (): readonly SeenRequest[] => [...aws.requests(), ...atProvider.requests()];

    const tables = openTables(client, model.tables);
    const noteWrites = () => {
      for (const { operation, resource } of aws.requests()) {
        if (/Put|Update|Delete|Write|ExecuteStatement/.test(operation)) tables.noteWrite(resource.split("+"));
      }
    };

    let closed = false;
    const close = async () => {
      if (closed) return;
      closed = true;
      await functions?.stop();
      await Promise.all([aws.close(), atProvider.close(), gateway.close()]);
      client.destroy();
      queues.close();
      buckets.close();
      await engine.stop();
      if (engine.pid !== undefined) watchdog.release(engine.pid);
    };
    stops.push(close);

    return {
      /** All items. Only functions of the lane may write between two calls. */
      snapshot(): Promise<Snapshot> {
        noteWrites();
        return tables.snapshot();
      },
      /** Makes the tables as they were. */
      restore(wanted: Snapshot): Promise<void> {
        noteWrites();
        return tables.restore(wanted);
      },
      /** Puts an item that no endpoint writes. @param table its name in the stack, such as `Notifications`. */
      async put(table: string, item: Record<string, unknown>): Promise<void> {
        const found = model.tables.find(({ name }) => shortName(name) === table);
        if (found === undefined) throw new Error(`no table ${table}`);
        const documents = DynamoDBDocumentClient.from(client, documentTranslation);
        await documents.send(new PutCommand({ TableName: found.name, Item: item }));
        tables.noteWrite([table]);
      },
      /** The objects of all buckets. */
      objects: (): LaneObject[] =>
        buckets.list().flatMap((bucket) =>
          bucket.list({ prefix: "", after: "", limit: 1_000 }).map((object) => ({
            bucket: bucket.model.name,
            key: object.key,
            body: Buffer.concat([...bucket.read(object, 0, object.bytes - 1)]),
          })),
        ),
      /** Removes all objects, and puts others. */
      restoreObjects(wanted: readonly LaneObject[]): void {
        for (const bucket of buckets.list())
          bucket.remove(bucket.list({ prefix: "", after: "", limit: 1_000 }).map(({ key }) => key));
        for (const { bucket, key, body } of wanted) buckets.find(bucket)?.put(key, body, {});
      },
      /** Calls that a role did not allow. */
      denials: denials as readonly Denial[],
      /** Log lines of functions since the last `freshInstances`. */
      logged: () => lines.join("\n"),

      /** Makes the plan's fault from now on; undefined: none. Forgets earlier requests, and breaks off those that hang. */
      inject(plan: FaultPlan | undefined): void {
        noteWrites();
        aws.use(plan && followPlan(plan));
        atProvider.use(plan && followPlan(plan));
      },
      /** The proxies, for other choices of faults than a plan: `lane.proxies.aws.use(randomFaults(7, 0.1))`. */
      proxies: { aws, provider: atProvider },
      /** The requests of functions since the last `inject`: AWS's in order, then the provider's. */
      requests: requestsSoFar,

      /** Runs a function with an event: JSON text, or an object. Rejects only for an unknown function. */
      invoke: (name: string, event: unknown) =>
        invokeFunction(functionOf(name), typeof event === "string" ? event : JSON.stringify(event)),

      /** Sends a request to the API. A failed invocation is the gateway's 500. */
      async request(method: string, target: string, parts: RequestParts = {}): Promise<LaneAnswer> {
        const path = decodeURIComponent(target.split("?", 1)[0] ?? "");
        const match = route(method, path);
        const fn = model.functions.find(({ arn }) => arn === match?.route.functionArn);
        if (match === undefined || fn === undefined) throw new Error(`no route for ${method} ${path}`);
        const { routeKey } = match.route;
        return call(fn, [method, target], { routeKey, path, pathParameters: match.pathParameters }, parts);
      },
      /** Sends a request to the webhook URL. */
      async webhook(target: string, parts: RequestParts): Promise<LaneAnswer> {
        const routing = { routeKey: "$default", path: target.split("?", 1)[0] ?? "", pathParameters: {} };
        return call(functionOf("receive-webhook"), ["POST", target], routing, parts);
      },

      /** The events on the service's buses since `forgetEvents`, oldest first. */
      published: () => buses.publishedSince(0).map(({ event }) => event),
      forgetEvents(): void {
        buses = newBuses();
        for (const { id } of queued()) forgottenMessages.add(id);
      },
      /** The bodies of the messages that functions have sent since `forgetEvents`. */
      queued: (): string[] => queued().map(({ body }) => body),
      /**
       * The invocations that the published events and the messages of functions cause, by the rules and queues of the stack:
       * one message per batch.
       */
      deliveries(): { name: string; payload: string }[] {
        const ofEvents = buses.publishedSince(0).flatMap(({ rules, event }) =>
          model.rules
            .filter(({ name }) => rules.includes(name))
            .flatMap(({ targets }) => targets)
            .map(({ arn, input }) => {
              const payload = targetPayload(input, event);
              const mapping = model.eventSourceMappings.find(({ queueArn }) => queueArn === arn);
              if (mapping === undefined) return { name: fileOf(arn), payload };
              return { name: fileOf(mapping.functionArn), payload: batchOf(arn, event.id, payload) };
            }),
        );
        return [
          ...ofEvents,
          ...queued().map(({ name, queueArn, id, body }) => ({ name, payload: batchOf(queueArn, id, body) })),
        ];
      },
      /** Sets the clock of functions: this many ms ahead of the machine's. Tokens expire by it. */
      setClock(ms: number): void {
        aheadMs = ms;
      },
      /** Ends all instances, and forgets their log. */
      async freshInstances(): Promise<void> {
        await functions?.stop();
        functions = undefined;
        lines.length = 0;
      },
      close,
    };
  };

  return {
    model,
    lane,
    control,
    provider: { ...provider.demo, url: provider.url },
    webhookUrl: WEBHOOK_URL,
    /** Where notifications may be sent to. It accepts all. */
    receiverUrl: receiver.url,
    /** A token of the development issuer (docs/local-cloud.md, "The issuer"). */
    mint: (claims: object) => mintToken(issuer.url, claims),
    now: clock.now,
    async stop(): Promise<void> {
      for (const stop of stops.splice(0).reverse()) await stop();
    },
  };
};
