/**
 * What the local cloud runs: the parts of one synthesised stack, with every intrinsic function resolved.
 * `read-stack.ts` makes it from the assembly; everything else under infra/local/ reads only this.
 */

/** A statement of an IAM policy as it stands in the template, its values resolved. */
export type PolicyStatement = {
  Sid?: string;
  Effect: "Allow" | "Deny";
  Principal?: "*" | Record<string, string | string[]>;
  Action?: string | string[];
  NotAction?: string | string[];
  Resource?: string | string[];
  NotResource?: string | string[];
  Condition?: Record<string, Record<string, string | string[]>>;
};

/** AWS::IAM::Role with all policies that the template attaches to it. */
export type RoleModel = { logicalId: string; arn: string; statements: PolicyStatement[] };

/** AWS::Lambda::Function: the directory is the asset that a deployment would upload. */
export type FunctionModel = {
  logicalId: string;
  name: string;
  arn: string;
  roleArn: string;
  codeDirectory: string;
  /** As in the template: `file.export`. */
  handler: string;
  environment: Record<string, string>;
  timeoutSeconds: number;
  memoryMb: number;
};

/** AWS::Lambda::Url that anybody may call, if the function's permissions let them; `urlId` stands for its host name. */
export type FunctionUrlModel = { logicalId: string; urlId: string; functionArn: string };

type TableKeys = { AttributeName: string; KeyType: "HASH" | "RANGE" }[];

export type IndexDefinition = {
  IndexName: string;
  KeySchema: TableKeys;
  Projection: { ProjectionType: "ALL" | "KEYS_ONLY" | "INCLUDE"; NonKeyAttributes?: string[] };
};

/** The input of CreateTable, as the API takes it. */
export type TableDefinition = {
  TableName: string;
  KeySchema: TableKeys;
  AttributeDefinitions: { AttributeName: string; AttributeType: "S" | "N" | "B" }[];
  BillingMode: "PAY_PER_REQUEST";
  GlobalSecondaryIndexes?: IndexDefinition[];
  LocalSecondaryIndexes?: IndexDefinition[];
};

/** AWS::DynamoDB::Table or GlobalTable. */
export type TableModel = {
  logicalId: string;
  name: string;
  arn: string;
  definition: TableDefinition;
  /** The attribute that holds the expiry in epoch seconds, where the table has one. */
  ttlAttribute?: string;
};

/**
 * One route of an HTTP API; the key is `METHOD /path/{parameter}` or `$default`.
 * `sourceArn` is the `aws:SourceArn` with which the API calls the function: hand it to `Authorizer.judge`.
 */
export type RouteModel = { routeKey: string; functionArn: string; sourceArn: string };

/** AWS::ApiGatewayV2::Api with its routes; `arn` is the execute-api ARN that function permissions name. */
export type HttpApiModel = { logicalId: string; apiId: string; arn: string; routes: RouteModel[] };

/** What a target gets in place of the whole event: a constant, a part of the event, or a text made from its parts. */
export type TargetInput =
  | { kind: "constant"; value: unknown }
  | { kind: "path"; path: string }
  | { kind: "template"; paths: Record<string, string>; template: string };

/** A target of a rule: the ARN is a function's or a queue's. */
export type TargetModel = {
  id: string;
  arn: string;
  input?: TargetInput;
  /** What is tried again is what could not be handed over; a function that fails is Lambda's affair. */
  retryPolicy: { maximumRetryAttempts: number; maximumEventAgeSeconds: number };
  deadLetterArn?: string;
};

/** AWS::Events::Rule with a ScheduleExpression. */
export type ScheduleModel = {
  logicalId: string;
  name: string;
  arn: string;
  expression: string;
  enabled: boolean;
  targets: TargetModel[];
};

/** AWS::Events::EventBus, or the account's default bus, which no template declares. */
export type BusModel = { name: string; arn: string };

/** AWS::Events::Rule with an EventPattern, which `event-pattern.ts` understands; one with both is a schedule, too. */
export type RuleModel = {
  logicalId: string;
  name: string;
  arn: string;
  busName: string;
  pattern: unknown;
  enabled: boolean;
  targets: TargetModel[];
};

/** AWS::SQS::Queue, a standard one. */
export type QueueModel = {
  logicalId: string;
  name: string;
  arn: string;
  visibilityTimeoutSeconds: number;
  retentionSeconds: number;
  delaySeconds: number;
  receiveWaitSeconds: number;
  maximumMessageBytes: number;
  redrive?: { deadLetterArn: string; maxReceiveCount: number };
};

/** AWS::Lambda::EventSourceMapping from a queue to a function. */
export type EventSourceMappingModel = {
  logicalId: string;
  queueArn: string;
  functionArn: string;
  batchSize: number;
  /** Batches that the function works on at the same time, at most. */
  concurrency: number;
  reportBatchItemFailures: boolean;
};

/** What becomes of a function's asynchronous invocations: AWS::Lambda::EventInvokeConfig and its DeadLetterConfig. */
export type AsynchronousInvocationModel = {
  functionArn: string;
  maximumRetryAttempts?: number;
  maximumEventAgeSeconds?: number;
  /** Queues, buses or functions that get a record of the outcome. */
  onFailureArn?: string;
  onSuccessArn?: string;
  /** A queue that gets the bare event. */
  deadLetterArn?: string;
};

/** AWS::SecretsManager::Secret; `value` is its SecretString, generated once and kept with the data. */
export type SecretModel = { logicalId: string; name: string; arn: string; value: string };

/** AWS::KMS::Key for symmetric encryption, with the names of its aliases (`alias/…`). */
export type KeyModel = { logicalId: string; id: string; arn: string; isEnabled: boolean; aliases: string[] };

/** Something that the template declares and the local cloud does not run, and what that means for the user. */
export type NotRun = { logicalId: string; type: string; reason: string };

export type StackModel = {
  stackName: string;
  /** Those of the assembly where it names them, else constants. Functions get the region as AWS_REGION. */
  accountId: string;
  region: string;
  functions: FunctionModel[];
  roles: RoleModel[];
  tables: TableModel[];
  httpApis: HttpApiModel[];
  functionUrls: FunctionUrlModel[];
  schedules: ScheduleModel[];
  buses: BusModel[];
  rules: RuleModel[];
  queues: QueueModel[];
  eventSourceMappings: EventSourceMappingModel[];
  /** Several of them may speak of one function. */
  asynchronousInvocations: AsynchronousInvocationModel[];
  secrets: SecretModel[];
  keys: KeyModel[];
  /** Policies on the resource's side (permissions of functions, policies of keys, tables, queues and buses), by the resource's ARN. */
  resourcePolicies: Record<string, PolicyStatement[]>;
  notRun: NotRun[];
};
