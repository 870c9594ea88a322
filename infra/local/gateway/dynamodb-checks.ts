import * as z from "zod";
import type { StackModel } from "../core/model.ts";
import type { Check } from "../iam/authorizer.ts";
import { targetOf } from "./partiql-statement.ts";

const ToTable = z.object({ TableName: z.string() });
const Indexed = z.object({ TableName: z.string(), IndexName: z.string().optional() });
const Batch = z.object({ RequestItems: z.record(z.string(), z.unknown()) });
const TransactWrite = z.object({
  TransactItems: z.array(
    z.union([
      z.strictObject({ Put: ToTable }),
      z.strictObject({ Update: ToTable }),
      z.strictObject({ Delete: ToTable }),
      z.strictObject({ ConditionCheck: ToTable }),
    ]),
  ),
});

/** The limit of statements: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchExecuteStatement.html */
const Statements = z.object({
  Statements: z.array(z.object({ Statement: z.string(), Parameters: z.array(z.unknown()) })).max(25),
});

type Scope = Pick<StackModel, "region" | "accountId" | "tables">;

/** Reads the body of one operation into what must be allowed. @throws Error if the body is malformed. */
type Reader = (body: unknown, operation: string, scope: Scope) => Check[];

const tableArn = ({ region, accountId }: Scope, table: string): string =>
  table.startsWith("arn:") ? table : `arn:aws:dynamodb:${region}:${accountId}:table/${table}`;

const onTable: Reader = (body, operation, scope) => [
  { action: `dynamodb:${operation}`, resource: tableArn(scope, ToTable.parse(body).TableName) },
];

/** A query of an index needs the right on the index's ARN only. */
const onTableOrIndex: Reader = (body, operation, scope) => {
  const { TableName, IndexName } = Indexed.parse(body);
  const arn = tableArn(scope, TableName);
  return [{ action: `dynamodb:${operation}`, resource: IndexName === undefined ? arn : `${arn}/index/${IndexName}` }];
};

const onEachTable: Reader = (body, operation, scope) =>
  Object.keys(Batch.parse(body).RequestItems).map((table) => ({
    action: `dynamodb:${operation}`,
    resource: tableArn(scope, table),
  }));

const transactionActions = {
  ConditionCheck: "dynamodb:ConditionCheckItem",
  Delete: "dynamodb:DeleteItem",
  Put: "dynamodb:PutItem",
  Update: "dynamodb:UpdateItem",
} as const;

/** A transaction needs the right for each of its items, as single calls do. */
const transactWrite: Reader = (body, _operation, scope) =>
  TransactWrite.parse(body).TransactItems.flatMap((entry) =>
    Object.entries(entry).map(([kind, { TableName }]) => ({
      action: transactionActions[kind as keyof typeof transactionActions],
      resource: tableArn(scope, TableName),
    })),
  );

/** A batch needs the right for each of its statements. */
const batchOfStatements: Reader = (body, _operation, scope) =>
  Statements.parse(body).Statements.map((statement) => {
    const target = targetOf(statement, scope.tables);
    if (target === undefined) throw new Error(`the statement is not supported: ${statement.Statement}`);
    return { action: target.action, resource: tableArn(scope, target.table) };
  });

/** The operations that functions may use; every other operation is denied. */
const readers: Record<string, Reader> = {
  BatchExecuteStatement: batchOfStatements,
  BatchGetItem: onEachTable,
  BatchWriteItem: onEachTable,
  DeleteItem: onTable,
  GetItem: onTable,
  PutItem: onTable,
  Query: onTableOrIndex,
  Scan: onTableOrIndex,
  TransactWriteItems: transactWrite,
  UpdateItem: onTable,
};

/**
 * The actions that a DynamoDB request needs: per table, per index, per item of a transaction, per statement. All must be allowed.
 * @returns undefined for an operation that is not supported or a malformed body.
 */
export const dynamoDbChecks = (operation: string, body: unknown, scope: Scope): Check[] | undefined => {
  const reader = Object.hasOwn(readers, operation) ? readers[operation] : undefined;
  try {
    const checks = reader?.(body, operation, scope);
    return checks?.length === 0 ? undefined : checks;
  } catch {
    return undefined;
  }
};
