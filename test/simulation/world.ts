/** One simulation: the parts, wired by its seed. */
import { createHash, createHmac } from "node:crypto";
import type { WireObject } from "../../infra/local/provider/render/render-object.ts";
import { prewarm } from "../../shared/runtime/prewarm.ts";
import { createCloud } from "./cloud.ts";
import { connectEdges, type HttpRequest } from "./edges.ts";
import { createFunctions, type Handler } from "./functions.ts";
import { Problem, problemOfChange } from "./invariants.ts";
import { createMemoryBucket } from "./memory-bucket.ts";
import { createMemoryDynamoDb, type Input, StoreError } from "./memory-dynamodb.ts";
import { createNetwork, type FaultRates, NO_FAULTS } from "./network.ts";
import { answerOfIssuer } from "./process.ts";
import { createProviderSide } from "./provider-side.ts";
import { createReceivers, RECEIVER_HOST } from "./receivers.ts";
import { activate, createScheduler, type Process } from "./scheduler.ts";
import { tables } from "./stack-tables.ts";
import type { StoreAnswer } from "./store-client.ts";

/** How far an instance's clock may differ from the true time. */
const CLOCK_SKEW_MS = 1_500;
const PROVIDER_SKEW_MS = 5_000;
/** In a quarter of the simulations, the provider dates events this far behind its answers. */
const BEHIND_SECONDS = 600;

/** `isKeyReplaced`: the connection may have an API key that the provider no longer accepts. */
export type Organization = {
  id: string;
  accountId: string;
  apiKey: string;
  webhookSecret: string;
  isKeyReplaced: boolean;
};

/** Ids that could reach into each other's keys if they were not encoded. */
const ORGANIZATION_IDS = ["green", "green#1", "Grün/%23÷"];

export type Trace = (line: string) => void;

const refusal =
  (error: string, details: Record<string, unknown> = {}, status = 400) =>
  () => ({ status, error, details });

/** What DynamoDB may answer instead of doing the work; of a batch it may do a part. */
const storeRefusalsOf =
  (store: (operation: string, input: Input) => StoreAnswer) =>
  (operation: string, input: Input): (() => StoreAnswer)[] => {
    const common = [
      refusal("InternalServerError", {}, 500),
      refusal("ThrottlingException"),
      refusal("ProvisionedThroughputExceededException"),
    ];
    if (operation === "TransactWrite") {
      const { length } = input.TransactItems as object[];
      const CancellationReasons = Array.from({ length }, (_, i) => ({
        Code: i === 0 ? "TransactionConflict" : "None",
      }));
      return [...common, refusal("TransactionCanceledException", { CancellationReasons })];
    }
    if (["Put", "Update", "Delete"].includes(operation)) return [...common, refusal("TransactionConflictException")];
    if (operation === "BatchExecuteStatement") {
      const Statements = input.Statements as object[];
      const half = Statements.length >> 1;
      /** The answer without the results of the later half, whose statements may be executed. */
      const partly = (executed: readonly object[], Code: string) => (): StoreAnswer => {
        const { output } = executed.length === 0 ? {} : store(operation, { ...input, Statements: executed });
        const { Responses } = (output ?? { Responses: [] }) as { Responses: object[] };
        const failed = Statements.slice(half).map(() => ({ Error: { Code } }));
        return { status: 200, output: { Responses: [...Responses.slice(0, half), ...failed] } };
      };
      const throttled = partly(Statements.slice(0, half), "ThrottlingError");
      return [throttled, partly(Statements, "InternalServerError"), ...common];
    }
    if (operation !== "BatchWrite" && operation !== "BatchGet") return common;
    const partly = (): StoreAnswer => {
      const [[table = "", request] = []] = Object.entries(
        input.RequestItems as Record<string, object[] | { Keys: object[] }>,
      );
      const all = Array.isArray(request) ? request : (request?.Keys ?? []);
      const half = all.length >> 1;
      const of = (some: object[]) => ({ [table]: Array.isArray(request) ? some : { ...request, Keys: some } });
      const answer = half === 0 ? {} : store(operation, { ...input, RequestItems: of(all.slice(0, half)) }).output;
      const left = operation === "BatchWrite" ? "UnprocessedItems" : "UnprocessedKeys";
      return { status: 200, output: { ...answer, [left]: of(all.slice(half)) } };
    };
    return [partly, ...common];
  };

const errorAnswer = (status: number, error: object, headers: Record<string, string> = {}) => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify({ error }),
});

const providerRefusals = [
  () => errorAnswer(500, { type: "api_error", message: "An unknown error occurred" }),
  () => errorAnswer(503, { type: "api_error", message: "Service temporarily unavailable" }),
  () =>
    errorAnswer(
      429,
      { type: "invalid_request_error", code: "rate_limit", message: "Slow down" },
      { "retry-after": "1" },
    ),
  () => ({ status: 502, headers: { "content-type": "text/html" }, body: "<html>Bad gateway</html>" }),
];

/** A call that reached the store, with its answer. */
export type StoreCall = { operation: string; input: Input; answer: StoreAnswer };

export type World = ReturnType<typeof createWorld>;

export const createWorld = (
  seed: number,
  factories: ReadonlyMap<string, () => Handler>,
  { trace, onCall }: { trace?: Trace | undefined; onCall?: (call: StoreCall) => void },
) => {
  const scheduler = createScheduler(seed);
  const { now, between, chance, after } = scheduler;
  activate(scheduler);
  const digest = createHash("sha256");
  const counts = { store: 0, provider: 0, published: 0, delivered: 0, sent: 0 };
  const note = (line: string) => {
    digest.update(line);
    trace?.(`${new Date(now()).toISOString().slice(11, 23)} ${line}`);
  };

  let broken: unknown;
  const organizations: Organization[] = [];
  const database = createMemoryDynamoDb(tables, (change) => {
    const problem = problemOfChange(change, { organizations, now: now(), skewMs: CLOCK_SKEW_MS });
    if (problem !== undefined) broken ??= new Problem(problem);
  });
  const functions = createFunctions(scheduler, factories, { clockSkewMs: CLOCK_SKEW_MS, prewarm });
  const kill = (owner: Process) => {
    note(`${owner.name} is killed`);
    functions.kill(owner);
  };
  const network = createNetwork(scheduler, kill);
  const cloud = createCloud(scheduler, functions, { mayRepeat: () => chance(network.rates.loseAnswer), log: note });

  const store = (operation: string, input: Input): StoreAnswer => {
    counts.store++;
    let answer: StoreAnswer;
    try {
      answer = { status: 200, output: database.call(operation, input) };
    } catch (error) {
      if (!(error instanceof StoreError)) {
        // The product would take it for an outage of the store.
        broken ??= error;
        throw error;
      }
      answer = { status: 400, error: error.name, details: error.details };
    }
    onCall?.({ operation, input, answer });
    note(`${operation} ${input.TableName ?? ""} ${answer.error ?? ""}`);
    return answer;
  };

  /** What the bus accepted: types and details. */
  const published: { type: string; detail: Record<string, unknown> }[] = [];
  const undelivered: { organization: Organization; event: WireObject }[] = [];
  const options = {
    /** The share of webhooks that never come; the feed must replace them. */
    dropRate: chance(0.5) ? 0 : 0.2,
    lateRate: 0.1,
  };

  /** Delivers an event once. @returns whether it was acknowledged. */
  const post = async (organization: Organization, event: WireObject): Promise<boolean> => {
    const body = JSON.stringify(event);
    const seconds = Math.floor((now() + providerSkewMs) / 1_000);
    const signature = createHmac("sha256", organization.webhookSecret).update(`${seconds}.${body}`).digest("hex");
    const headers = { "stripe-signature": `t=${seconds},v1=${signature}` };
    const answer = await cloud.webhook({ path: `/${encodeURIComponent(organization.id)}`, body, headers });
    note(`webhook ${event.id} ${answer.status}`);
    counts.delivered++;
    return answer.status === 200;
  };

  const deliver = async (organization: Organization, event: WireObject): Promise<void> => {
    for (const pause of [between(50, scheduler.pick([300, 20_000])), 10_000, 60_000, 300_000]) {
      await scheduler.sleep(pause);
      if (!(await post(organization, event))) continue;
      if (chance(0.15)) await post(organization, event);
      return;
    }
    undelivered.push({ organization, event });
  };

  const providerSkewMs = between(-PROVIDER_SKEW_MS, PROVIDER_SKEW_MS);
  const provider = createProviderSide({
    now: () => now() + providerSkewMs,
    behindSeconds: seed % 4 === 0 ? BEHIND_SECONDS : 0,
    deliver: (accountId, event) => {
      const organization = organizations.find((one) => one.accountId === accountId);
      if (organization === undefined) return;
      const dice = scheduler.random();
      if (dice < options.dropRate) return;
      if (dice < options.dropRate + options.lateRate) undelivered.push({ organization, event });
      else void deliver(organization, event);
    },
  });

  for (const [i, id] of ORGANIZATION_IDS.slice(0, scheduler.pick([1, 2, 2, 3])).entries()) {
    const account = provider.createAccount(`acct_${i}`, between(1, 3));
    organizations.push({ id, ...account, webhookSecret: `whsec_${i}`, isKeyReplaced: false });
  }

  const receivers = createReceivers(scheduler);
  const http = (request: HttpRequest) => {
    if (request.host === "127.0.0.1") {
      return {
        status: 200,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(answerOfIssuer(request.path)),
      };
    }
    if (request.host === RECEIVER_HOST) {
      counts.sent++;
      const answer = receivers.answer(request);
      note(`receiver ${request.path} ${answer.status}`);
      return answer;
    }
    counts.provider++;
    const answer = provider.answer(request);
    note(`provider ${request.method} ${request.path} ${answer.status}`);
    return answer;
  };

  /** S3 and SQS. */
  const bucket = createMemoryBucket();
  const service = (operation: string, input: object): object => {
    note(operation);
    const answer = bucket.call(operation, input) ?? cloud.queues.call(operation, input);
    if (answer !== undefined) return answer;
    // The product would take it for an outage of the service.
    broken ??= new Error(`The simulation does not know ${operation}.`);
    throw broken;
  };

  connectEdges({
    network,
    service,
    serviceRefusals: cloud.queues.refusals,
    store,
    storeRefusals: storeRefusalsOf(store),
    http,
    httpRefusals: (request) => {
      if (request.host === RECEIVER_HOST) return receivers.refusals(request);
      return request.host === "127.0.0.1" ? [() => errorAnswer(500, {})] : providerRefusals;
    },
    httpFate: (request) => (request.host === RECEIVER_HOST ? receivers.fate(request) : undefined),
    publish: (entries) => {
      counts.published += entries.length;
      for (const { DetailType, Detail } of entries) {
        published.push({ type: DetailType, detail: JSON.parse(Detail) });
        note(`published ${DetailType}`);
      }
      cloud.publish(entries);
    },
  });

  return {
    seed,
    scheduler,
    database,
    bucket,
    receivers,
    functions,
    network,
    cloud,
    provider,
    organizations,
    undelivered,
    published,
    counts,
    note,
    post,
    /** @throws Problem of a write, or what the store in memory could not do. */
    checkStore: (): void => {
      if (broken !== undefined) throw broken;
    },
    digest: () => digest.copy().digest("hex").slice(0, 16),
    setFaults: (rates: Partial<FaultRates>) => void Object.assign(network.rates, NO_FAULTS, rates),
    /** Runs work beside everything else; its failure fails the simulation. */
    later: (ms: number, work: () => void) => void after(ms, work),
  };
};
