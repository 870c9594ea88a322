import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, type TranslateConfig } from "@aws-sdk/lib-dynamodb";
import type { TableDefinition, TableModel } from "../../infra/local/core/model.ts";
import { startWatchdog } from "../../infra/local/core/watchdog.ts";
import { engineScope } from "../../infra/local/dynamodb/client.ts";
import { createTables } from "../../infra/local/dynamodb/tables.ts";
import { fixedSettings } from "../../shared/runtime/aws-client.ts";
import { documentTranslation } from "../../shared/runtime/document-translation.ts";
import { undocumentedLives } from "./documented-lives.ts";
import { startTestDynamoDb } from "./test-dynamodb.ts";

/** A table as tests declare it: the input of CreateTable without the billing mode. */
export type TestTable = Omit<TableDefinition, "BillingMode"> & { ttlAttribute?: string };

/**
 * A real DynamoDB for one test file (test-dynamodb.ts). Stop it in `afterAll`; stopping also closes its clients, and
 * throws an Error if items of the service's tables do not expire as documented.
 */
export type EmbeddedDynamoDb = {
  endpoint: string;
  client(config?: DynamoDBClientConfig): DynamoDBClient;
  /** @param translate by default as the service's clients */
  documentClient(translate?: TranslateConfig): DynamoDBDocumentClient;
  /** A client of another endpoint, such as a proxy in front of the engine. */
  clientAt(endpoint: string, maxAttempts?: number): DynamoDBDocumentClient;
  createTables(...tables: TestTable[]): Promise<void>;
  stop(): Promise<void>;
};

/** The local cloud's model of a test's table. */
export const tableModel = ({ ttlAttribute, ...definition }: TestTable): TableModel => ({
  logicalId: definition.TableName,
  name: definition.TableName,
  arn: `arn:aws:dynamodb:${engineScope.region}:000000000000:table/${definition.TableName}`,
  definition: { ...definition, BillingMode: "PAY_PER_REQUEST" },
  ...(ttlAttribute !== undefined && { ttlAttribute }),
});

/** The engine reads the access key and checks no signature, so tests do not compute one. */
const signer = {
  sign: async <Request extends { headers: Record<string, string> }>(request: Request): Promise<Request> => {
    const credential = `${engineScope.accessKeyId}/20260101/${engineScope.region}/dynamodb/aws4_request`;
    request.headers["x-amz-date"] = "20260101T000000Z";
    request.headers.authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=0`;
    return request;
  },
};

/** Starts it with these tables. */
export const startEmbeddedDynamoDb = async (...tables: TestTable[]): Promise<EmbeddedDynamoDb> => {
  const { endpoint, pid, stop } = await startTestDynamoDb();
  // However the test's process ends, the engine must not outlive it.
  const watchdog = startWatchdog();
  if (pid !== undefined) watchdog.guard(pid);
  const clients: DynamoDBClient[] = [];
  const client = (config: DynamoDBClientConfig = {}): DynamoDBClient => {
    const created = new DynamoDBClient({
      ...fixedSettings,
      endpoint,
      region: engineScope.region,
      credentials: { accessKeyId: engineScope.accessKeyId, secretAccessKey: "local" },
      signer,
      ...config,
    });
    clients.push(created);
    return created;
  };
  const names: Record<string, string> = {};
  const create = (...wanted: TestTable[]): Promise<void> => {
    for (const { TableName } of wanted) names[TableName] = TableName;
    return createTables(endpoint, wanted.map(tableModel));
  };
  await create(...tables);
  return {
    endpoint,
    client,
    documentClient: (translate = documentTranslation) => DynamoDBDocumentClient.from(client(), translate),
    clientAt: (at, maxAttempts = 3) =>
      DynamoDBDocumentClient.from(client({ endpoint: at, maxAttempts }), documentTranslation),
    createTables: create,
    stop: async () => {
      const misfits = await undocumentedLives({ client: DynamoDBDocumentClient.from(client()), names });
      for (const one of clients) one.destroy();
      await stop();
      if (pid !== undefined) watchdog.release(pid);
      await watchdog.stop();
      if (misfits.length > 0) throw new Error(`Items do not expire as documented:\n${misfits.join("\n")}`);
    },
  };
};
