/**
 * The faults that the proxy (fault-proxy.ts) can put between a client and a service. Each fault says which requests it
 * applies to and what the client gets. "Executed" faults pass the request on first: the work is done and its answer lost.
 */

/** The services that functions call. `provider` is the payment provider's HTTP API. */
export type Service = "dynamodb" | "events" | "kms" | "s3" | "secretsmanager" | "ses" | "sqs" | "provider";

/**
 * A request at the proxy. `operation` is the AWS operation, or the HTTP method at SES and the provider; `resource` the
 * tables, buckets and queues (without the stack's prefix), the event types or the path. `json` is the parsed body, undefined if it is not JSON.
 */
export type ProxiedRequest = {
  service: Service;
  operation: string;
  resource: string;
  /** The same for all attempts of the AWS SDK at one call; unique at the provider. */
  callId: string;
  json: unknown;
};

export type Answer = { status: number; headers: Record<string, string | string[]>; body: Buffer };

/** Sends the request to the service, with another body if one is given. */
export type Forward = (json?: unknown) => Promise<Answer>;

/**
 * What the client gets: an answer; an answer whose second half is missing, because the connection breaks (`broken`); a
 * connection that is reset; or no answer at all.
 */
export type Outcome = Answer | { broken: Answer } | "reset" | "hang";

type Fault = {
  applies(request: ProxiedRequest): boolean;
  outcome(request: ProxiedRequest, forward: Forward): Promise<Outcome>;
};

/** A slow answer arrives before the time-out of one attempt (1.5 s, KMS and DynamoDB; 1 s, EventBridge). */
const SLOW_MS = 900;

const json = (status: number, content: unknown, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { "content-type": "application/x-amz-json-1.0", ...headers },
  body: Buffer.from(JSON.stringify(content)),
});

/** An error of an AWS service. Source: https://smithy.io/2.0/aws/protocols/aws-json-1_0-protocol.html#operation-error-serialization */
const awsError = (status: number, type: string, more: object = {}): Answer =>
  json(status, { __type: `com.amazonaws#${type}`, message: `${type}, made by the fault harness`, ...more });

const html = (status: number): Answer => ({
  status,
  headers: { "content-type": "text/html" },
  body: Buffer.from("<html><body><h1>Bad gateway</h1></body></html>"),
});

const providerError = (status: number, type: string, headers: Record<string, string> = {}): Answer =>
  json(status, { error: { type, message: "Made by the fault harness." } }, headers);

/** https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
const s3Error = (status: number, code: string): Answer => ({
  status,
  headers: { "content-type": "application/xml" },
  body: Buffer.from(`<Error><Code>${code}</Code><Message>Made by the fault harness.</Message></Error>`),
});

const INTERNAL_ERRORS: Record<Exclude<Service, "provider" | "s3">, string> = {
  dynamodb: "InternalServerError",
  events: "InternalException",
  kms: "KMSInternalException",
  secretsmanager: "InternalServiceError",
  ses: "InternalServiceErrorException",
  sqs: "InternalFailure",
};

const internalError = ({ service }: ProxiedRequest): Answer => {
  if (service === "s3") return s3Error(500, "InternalError");
  return service === "provider" ? providerError(500, "api_error") : awsError(500, INTERNAL_ERRORS[service]);
};

const unavailable = ({ service }: ProxiedRequest): Answer => {
  if (service === "s3") return s3Error(503, "ServiceUnavailable");
  return service === "provider" ? providerError(503, "api_error") : awsError(503, "ServiceUnavailable");
};

const anyService = (): boolean => true;
const ofAws = ({ service }: ProxiedRequest): boolean => service !== "provider";
const ofStore = ({ service }: ProxiedRequest): boolean => service === "dynamodb";
const ofProvider = ({ service }: ProxiedRequest): boolean => service === "provider";
const isOperation =
  (...operations: string[]) =>
  ({ operation }: ProxiedRequest): boolean =>
    operations.includes(operation);

/** Answers without passing the request on. */
const instead = (applies: Fault["applies"], answer: (request: ProxiedRequest) => Outcome): Fault => ({
  applies,
  outcome: async (request) => answer(request),
});

/** Passes the request on, and changes its answer. */
const executed = (change: (answer: Answer, request: ProxiedRequest) => Outcome | Promise<Outcome>): Fault => ({
  applies: anyService,
  outcome: async (request, forward) => change(await forward(), request),
});

const half = ({ body }: Answer): Buffer => body.subarray(0, Math.floor(body.length / 2));

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The first elements, and the last ones: at least one, and half of them or all. */
const splitOff = (list: readonly unknown[], isAll: boolean): [unknown[], unknown[]] => {
  const kept = isAll ? 0 : Math.floor(list.length / 2);
  return [list.slice(0, kept), list.slice(kept)];
};

/** Passes on a body with these fields in place of the request's; without elements, nothing is sent. */
const merged = async (
  forward: Forward,
  body: Record<string, unknown> | undefined,
  more: (answer: unknown) => object,
) => {
  const answer = body === undefined ? json(200, {}) : await forward(body);
  return answer.status === 200 ? json(200, more(JSON.parse(answer.body.toString()))) : answer;
};

/** Leaves write requests or keys of each table undone, as DynamoDB does under load. */
const unprocessed = (isAll: boolean): Fault => ({
  applies: (request) => ofStore(request) && isOperation("BatchWriteItem", "BatchGetItem")(request),
  async outcome({ operation, json: sent }, forward) {
    const items = Object.entries(asRecord(asRecord(sent).RequestItems));
    const isRead = operation === "BatchGetItem";
    const parts = items.map(([table, wanted]) => {
      const [done, left] = splitOff(asList(isRead ? asRecord(wanted).Keys : wanted), isAll);
      const around = (list: unknown[]) => (isRead ? { ...asRecord(wanted), Keys: list } : list);
      return { table, done: done.length > 0 ? around(done) : undefined, left: around(left) };
    });
    const done = parts.flatMap((part) => (part.done === undefined ? [] : [[part.table, part.done] as const]));
    const undone = Object.fromEntries(parts.map(({ table, left }) => [table, left]));
    const body = done.length > 0 ? { ...asRecord(sent), RequestItems: Object.fromEntries(done) } : undefined;
    return merged(forward, body, (answer) => ({
      ...(isRead && { Responses: {} }),
      ...asRecord(answer),
      [isRead ? "UnprocessedKeys" : "UnprocessedItems"]: undone,
    }));
  },
});

/**
 * Fails the last half of a batch's statements with this code: they are not executed, or only their results are lost.
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchStatementError.html
 */
const failedStatements = (Code: string, { isAll = false, isExecuted = false } = {}): Fault => ({
  applies: (request) => ofStore(request) && isOperation("BatchExecuteStatement")(request),
  async outcome({ json: sent }, forward) {
    const Statements = asList(asRecord(sent).Statements);
    const [done, left] = splitOff(Statements, isAll);
    const executed = isExecuted ? Statements : done;
    const body = executed.length > 0 ? { ...asRecord(sent), Statements: executed } : undefined;
    const failure = { Error: { Code, Message: "Made by the fault harness." } };
    return merged(forward, body, (answer) => {
      const results = asList(asRecord(answer).Responses).slice(0, done.length);
      return { ...asRecord(answer), Responses: [...results, ...left.map(() => failure)] };
    });
  },
});

/** Refuses entries of PutEvents. https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEventsResultEntry.html */
const failedEntries = (isAll: boolean): Fault => ({
  applies: (request) => request.service === "events" && request.operation === "PutEvents",
  async outcome({ json: sent }, forward) {
    const [done, left] = splitOff(asList(asRecord(sent).Entries), isAll);
    const body = done.length > 0 ? { ...asRecord(sent), Entries: done } : undefined;
    const failure = { ErrorCode: "ThrottlingException", ErrorMessage: "Made by the fault harness." };
    return merged(forward, body, (answer) => {
      const results = asList(asRecord(answer).Entries);
      const failed = Number(asRecord(answer).FailedEntryCount ?? 0) + left.length;
      return { FailedEntryCount: failed, Entries: [...results, ...left.map(() => failure)] };
    });
  },
});

/**
 * Refuses messages of SendMessageBatch.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_BatchResultErrorEntry.html
 */
const failedMessages: Fault = {
  applies: (request) => request.service === "sqs" && request.operation === "SendMessageBatch",
  async outcome({ json: sent }, forward) {
    const [done, left] = splitOff(asList(asRecord(sent).Entries), false);
    const body = done.length > 0 ? { ...asRecord(sent), Entries: done } : undefined;
    const failure = { SenderFault: false, Code: "ServiceUnavailable", Message: "Made by the fault harness." };
    const Failed = left.map((entry) => ({ Id: asRecord(entry).Id, ...failure }));
    return merged(forward, body, (answer) => ({ Successful: [], ...asRecord(answer), Failed }));
  },
};

/**
 * Cancels a transaction for this reason at its last item.
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
 */
const cancelled = (Code: string): Fault =>
  instead(isOperation("TransactWriteItems"), ({ json: sent }) => {
    const items = asList(asRecord(sent).TransactItems);
    const reason = { Code, Message: "Made by the fault harness." };
    const CancellationReasons = items.map((_, i) => (i === items.length - 1 ? reason : { Code: "None" }));
    const codes = CancellationReasons.map(({ Code: code }) => code).join(", ");
    const Message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
    return awsError(400, "TransactionCanceledException", { Message, CancellationReasons });
  });

const refused = (type: string, applies: Fault["applies"] = ofStore): Fault =>
  instead(applies, () => awsError(400, type));

export const faults = {
  /** The service fails and has done nothing. */
  "500": instead(anyService, internalError),
  "503": instead(anyService, unavailable),
  html_200: instead(anyService, () => html(200)),
  html_502: instead(anyService, () => html(502)),
  reset_before: instead(anyService, () => "reset"),
  hang: instead(anyService, () => "hang"),

  /** The service does the work, and its answer is lost. */
  lost_reset: executed(() => "reset"),
  lost_500: executed((_answer, request) => internalError(request)),
  lost_hang: executed(() => "hang"),
  half_answer: executed((answer) => ({ broken: answer })),
  cut_json: executed((answer) => ({ ...answer, body: half(answer) })),
  slow: executed(async (answer) => {
    await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    return answer;
  }),

  /** Throttling of whole calls. https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html */
  throttled: instead(ofAws, ({ service }) =>
    service === "s3" ? s3Error(503, "SlowDown") : awsError(400, "ThrottlingException"),
  ),
  throughput_exceeded: refused("ProvisionedThroughputExceededException"),
  request_limit: refused("RequestLimitExceeded"),
  rate_limited: instead(ofProvider, () => providerError(429, "rate_limit_error", { "retry-after": "1" })),

  /** Throttling of single items. */
  unprocessed: unprocessed(false),
  unprocessed_all: unprocessed(true),
  throttled_statements: failedStatements("ThrottlingError"),
  throttled_statements_all: failedStatements("ProvisionedThroughputExceeded", { isAll: true }),
  lost_statements: failedStatements("InternalServerError", { isExecuted: true }),
  failed_entries: failedEntries(false),
  failed_entries_all: failedEntries(true),
  failed_messages: failedMessages,

  /** Another transaction holds the item, or the transaction fails for another reason than a condition. */
  conflict: refused(
    "TransactionConflictException",
    (request) => ofStore(request) && isOperation("PutItem", "UpdateItem", "DeleteItem")(request),
  ),
  cancelled_conflict: cancelled("TransactionConflict"),
  cancelled_throttling: cancelled("ThrottlingError"),
  cancelled_throughput: cancelled("ProvisionedThroughputExceeded"),
  cancelled_collection_size: cancelled("ItemCollectionSizeLimitExceeded"),
  cancelled_validation: cancelled("ValidationError"),
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

/** A request that arrived, and the fault that it got. */
export type SeenRequest = ProxiedRequest & { fault?: FaultName };

const faultNames = Object.keys(faults) as FaultName[];

/** The faults that apply to a request. */
export const faultsOf = (request: ProxiedRequest): FaultName[] =>
  faultNames.filter((name) => faults[name].applies(request));
