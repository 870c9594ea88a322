import * as z from "zod";
import type { StackModel, TableDefinition } from "../core/model.ts";
import type { Check } from "../iam/authorizer.ts";
import { partitionKeyOfQuery } from "./query-partition-key.ts";

const Attributes = z.record(z.string(), z.record(z.string(), z.unknown()));
const Keyed = z.object({ TableName: z.string(), Key: Attributes.optional(), Item: Attributes.optional() });
const ToTable = z.object({ TableName: z.string() });
const Indexed = z.looseObject({ TableName: z.string(), IndexName: z.string().optional() });
const Write = z.object({ PutRequest: Keyed.pick({ Item: true }), DeleteRequest: Keyed.pick({ Key: true }) }).partial();
const BatchWrite = z.object({ RequestItems: z.record(z.string(), z.array(Write)) });
const BatchGet = z.object({ RequestItems: z.record(z.string(), z.object({ Keys: z.array(Attributes) })) });
const TransactWrite = z.object({
  TransactItems: z.array(
    z.union([
      z.strictObject({ Put: Keyed }),
      z.strictObject({ Update: Keyed }),
      z.strictObject({ Delete: Keyed }),
      z.strictObject({ ConditionCheck: Keyed }),
    ]),
  ),
});
const TransactGet = z.object({ TransactItems: z.array(z.strictObject({ Get: Keyed })) });

type Item = z.infer<typeof Attributes>;

/** Reads one operation's body into what must be allowed. @throws ZodError when it is not the operation's. */
type Reader = (body: unknown, operation: string, model: StackModel) => Check[];

const tableArn = ({ region, accountId }: StackModel, table: string): string =>
  table.startsWith("arn:") ? table : `arn:aws:dynamodb:${region}:${accountId}:table/${table}`;

const tableOf = (model: StackModel, table: string): TableDefinition | undefined =>
  model.tables.find(({ name, arn }) => name === table || arn === table)?.definition;

const partitionKeyOf = (keys: TableDefinition["KeySchema"] = []): string =>
  keys.find(({ KeyType }) => KeyType === "HASH")?.AttributeName ?? "";

/** An attribute value as a policy writes it: `{ S: "a" }` is `a`. */
const textOf = (value: Record<string, unknown> | undefined): string[] =>
  Object.values(value ?? {}).filter((content) => typeof content === "string");

const leadingKeys = (model: StackModel, table: string, items: readonly (Item | undefined)[]): string[] => {
  const name = partitionKeyOf(tableOf(model, table)?.KeySchema);
  return items.flatMap((item) => textOf(item?.[name]));
};

const check = (model: StackModel, action: string, table: string, items: readonly (Item | undefined)[]): Check => ({
  action: `dynamodb:${action}`,
  resource: tableArn(model, table),
  context: { "dynamodb:LeadingKeys": leadingKeys(model, table, items) },
});

const onItem: Reader = (body, operation, model) => {
  const { TableName, Key, Item } = Keyed.parse(body);
  return [check(model, operation, TableName, [Key ?? Item])];
};

const onTable: Reader = (body, operation, model) => [
  { action: `dynamodb:${operation}`, resource: tableArn(model, ToTable.parse(body).TableName) },
];

const onAnything: Reader = (_body, operation) => [{ action: `dynamodb:${operation}`, resource: "*" }];

/** A query or a scan is judged on the index's ARN alone where it names an index. */
const onTableOrIndex: Reader = (body, operation, model) => {
  const request = Indexed.parse(body);
  const { TableName, IndexName } = request;
  const arn = tableArn(model, TableName);
  const resource = IndexName === undefined ? arn : `${arn}/index/${IndexName}`;
  if (operation === "Scan") return [{ action: "dynamodb:Scan", resource }];
  const definition = tableOf(model, TableName);
  const indexes = [...(definition?.GlobalSecondaryIndexes ?? []), ...(definition?.LocalSecondaryIndexes ?? [])];
  const keys = IndexName === undefined ? definition : indexes.find((index) => index.IndexName === IndexName);
  // Nothing is known of a table or an index that the template does not have; nor is anything in it.
  const value = keys === undefined ? undefined : partitionKeyOfQuery(request, partitionKeyOf(keys.KeySchema));
  return [{ action: "dynamodb:Query", resource, context: { "dynamodb:LeadingKeys": textOf(value) } }];
};

const batchGet: Reader = (body, operation, model) =>
  Object.entries(BatchGet.parse(body).RequestItems).map(([table, { Keys }]) => check(model, operation, table, Keys));

const batchWrite: Reader = (body, operation, model) =>
  Object.entries(BatchWrite.parse(body).RequestItems).map(([table, writes]) => {
    const items = writes.map(({ PutRequest, DeleteRequest }) => PutRequest?.Item ?? DeleteRequest?.Key);
    return check(model, operation, table, items);
  });

const transactionActions: Record<string, string> = {
  ConditionCheck: "ConditionCheckItem",
  Delete: "DeleteItem",
  Get: "GetItem",
  Put: "PutItem",
  Update: "UpdateItem",
};

/** A transaction needs the right for each of its items, as if they were single calls. */
const transaction =
  (schema: z.ZodType<{ TransactItems: Record<string, z.infer<typeof Keyed>>[] }>): Reader =>
  (body, operation, model) =>
    schema.parse(body).TransactItems.flatMap((entry) =>
      Object.entries(entry).map(([kind, { TableName, Key, Item }]) => {
        const single = check(model, transactionActions[kind] ?? kind, TableName, [Key ?? Item]);
        return { ...single, context: { ...single.context, "dynamodb:EnclosingOperation": [operation] } };
      }),
    );

/** What is not here is denied: PartiQL, streams, backups, exports. */
const readers: Record<string, Reader> = {
  BatchGetItem: batchGet,
  BatchWriteItem: batchWrite,
  CreateTable: onTable,
  DeleteItem: onItem,
  DeleteTable: onTable,
  DescribeTable: onTable,
  DescribeTimeToLive: onTable,
  GetItem: onItem,
  ListTables: onAnything,
  PutItem: onItem,
  Query: onTableOrIndex,
  Scan: onTableOrIndex,
  TransactGetItems: transaction(TransactGet),
  TransactWriteItems: transaction(TransactWrite),
  UpdateItem: onItem,
  UpdateTable: onTable,
  UpdateTimeToLive: onTable,
};

/**
 * What a DynamoDB request must be allowed: per table, per index, per item of a transaction; all must pass.
 * @returns undefined for an operation that is not known, or a body that is not the operation's: deny it.
 */
export const dynamoDbChecks = (operation: string, body: unknown, model: StackModel): Check[] | undefined => {
  const reader = Object.hasOwn(readers, operation) ? readers[operation] : undefined;
  try {
    const checks = reader?.(body, operation, model);
    return checks?.length === 0 ? undefined : checks;
  } catch {
    return undefined;
  }
};
