/**
 * What the local cloud runs: the resources of one synthesised stack, with every intrinsic function resolved.
 * `stack/read-stack.ts` makes it from the assembly; the rest of infra/local/ reads only this.
 */

/** A statement of an IAM policy as in the template, its values resolved. */
export type PolicyStatement = {
  Sid?: string;
  Effect: "Allow" | "Deny";
  Principal?: "*" | Record<string, string | string[]>;
  Action: string | string[];
  Resource?: string | string[];
  Condition?: Record<string, Record<string, string | string[]>>;
};

/** AWS::IAM::Role with all policies that the template attaches to it. `trust` says who may assume it. */
export type RoleModel = { logicalId: string; arn: string; statements: PolicyStatement[]; trust: PolicyStatement[] };

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
  reservedConcurrency?: number;
};

/** AWS::Lambda::Url without authorization; `urlId` stands for its host name. */
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
};

/** AWS::DynamoDB::Table. */
export type TableModel = {
  logicalId: string;
  name: string;
  arn: string;
  definition: TableDefinition;
  /** The attribute that holds the expiry in epoch seconds, if items expire. */
  ttlAttribute?: string;
};

/**
 * One route of an HTTP API; the key is `METHOD /path/{parameter}` or `$default`.
 * The API calls the function under the role of its integration. Without a role, it calls as a service, on behalf of
 * `sourceArn` (`aws:SourceArn`), and the function's permissions decide.
 */
export type RouteModel = { routeKey: string; functionArn: string; sourceArn: string; roleArn?: string };

/** The CorsConfiguration of an HTTP API. */
export type CorsModel = {
  allowOrigins: readonly string[];
  allowMethods: readonly string[];
  allowHeaders: readonly string[];
  exposeHeaders: readonly string[];
  maxAgeSeconds: number;
};

/** AWS::ApiGatewayV2::Api with its routes; `arn` is the execute-api ARN that function permissions name. */
export type HttpApiModel = {
  logicalId: string;
  apiId: string;
  arn: string;
  routes: RouteModel[];
  cors?: CorsModel;
};

/** A target of a rule: the ARN is a function's or a queue's. */
export type TargetModel = {
  id: string;
  arn: string;
  /** The target gets this text, filled with parts of the event, instead of the whole event. */
  input?: { paths: Record<string, string>; template: string };
  /** The queue that keeps an event that the target did not take. */
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

/** AWS::Events::Rule with an EventPattern. */
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
  redrive?: { deadLetterArn: string; maxReceiveCount: number };
};

/** AWS::Lambda::EventSourceMapping from a queue to a function that reports batch item failures. */
export type EventSourceMappingModel = {
  logicalId: string;
  queueArn: string;
  functionArn: string;
  batchSize: number;
  /** The most batches at once, if the mapping bounds them. */
  maxConcurrency?: number;
};

/** AWS::KMS::Key for symmetric encryption. */
export type KeyModel = {
  logicalId: string;
  id: string;
  arn: string;
  spec: "SYMMETRIC_DEFAULT" | "ECC_NIST_EDWARDS25519";
};

/** AWS::SecretsManager::Secret that the stack generates, with its value. */
export type SecretModel = { logicalId: string; arn: string; value: string };

/** AWS::S3::Bucket. Objects and uploads that are not completed expire after these days, if at all. */
export type BucketModel = {
  logicalId: string;
  name: string;
  arn: string;
  expirationDays?: number;
  abortUploadsAfterDays?: number;
};

/** A configuration set of SES, and the buses to which it publishes bounces and complaints. Several entries add up. */
export type ConfigurationSetModel = {
  name: string;
  events: readonly { type: "bounce" | "complaint"; busName: string }[];
};

/** A resource, or a part of one, that does nothing on one machine, and what that means for the user. */
export type NotRun = { logicalId: string; type: string; reason: string };

export type StackModel = {
  stackName: string;
  /** Those of the assembly if it names them, else constants. Functions get the region as AWS_REGION. */
  accountId: string;
  region: string;
  functions: FunctionModel[];
  roles: RoleModel[];
  tables: TableModel[];
  /** The API with the most routes comes first. */
  httpApis: HttpApiModel[];
  functionUrls: FunctionUrlModel[];
  schedules: ScheduleModel[];
  buses: BusModel[];
  rules: RuleModel[];
  queues: QueueModel[];
  eventSourceMappings: EventSourceMappingModel[];
  keys: KeyModel[];
  buckets: BucketModel[];
  configurationSets: ConfigurationSetModel[];
  secrets: SecretModel[];
  /** Policies of resources (permissions of functions, policies of keys, queues and buckets), by the resource's ARN. */
  resourcePolicies: Record<string, PolicyStatement[]>;
  notRun: NotRun[];
};

/** The bus that every account has. */
export const DEFAULT_BUS = "default";

/** The name of a bus that is named by its name or by its ARN. */
export const busNameOf = (nameOrArn: string): string => nameOrArn.slice(nameOrArn.lastIndexOf("/") + 1);
