/**
 * AWS for `npm run restore`: DynamoDB is the local cloud's engine, in which restored points are kept items, and CloudFormation
 * names the local cloud's tables.
 */
import { createServer, type IncomingMessage } from "node:http";
import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  PutItemCommand,
} from "@aws-sdk/client-dynamodb";
import { listen } from "../../../infra/local/http/listen.ts";
import { type RawItem, scanPages } from "../../../infra/recovery/items.ts";

/** All items of a table now. */
export const readAll = async (client: DynamoDBClient, table: string): Promise<RawItem[]> => {
  const items: RawItem[] = [];
  for await (const page of scanPages(client, table)) items.push(...page);
  return items;
};

const bodyOf = async (request: IncomingMessage) => Buffer.concat(await request.toArray()).toString();

const resourceXml = (table: string): string => {
  const [, logicalId = ""] = /(Tables[A-Za-z]+[0-9A-F]{8})/.exec(table) ?? [];
  return (
    `<member><LogicalResourceId>${logicalId}</LogicalResourceId><PhysicalResourceId>${table}</PhysicalResourceId>` +
    "<ResourceType>AWS::DynamoDB::Table</ResourceType><ResourceStatus>CREATE_COMPLETE</ResourceStatus></member>"
  );
};

/** @param tables names of the local cloud's tables @param points the items of a table at its restorable point, by its name */
export const startRestoringAws = async (
  client: DynamoDBClient,
  engineUrl: string,
  tables: readonly string[],
  points: ReadonlyMap<string, readonly RawItem[]>,
) => {
  const restore = async (source: string, target: string): Promise<void> => {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: source }));
    const { KeySchema = [], AttributeDefinitions = [] } = Table ?? {};
    const keys = KeySchema.map(({ AttributeName }) => AttributeName);
    await client.send(
      new CreateTableCommand({
        TableName: target,
        KeySchema,
        AttributeDefinitions: AttributeDefinitions.filter(({ AttributeName }) => keys.includes(AttributeName)),
        BillingMode: "PAY_PER_REQUEST",
      }),
    );
    for (const Item of points.get(source) ?? []) await client.send(new PutItemCommand({ TableName: target, Item }));
  };

  const answer = async (request: IncomingMessage): Promise<{ status: number; text: string }> => {
    const body = await bodyOf(request);
    const target = request.headers["x-amz-target"];
    if (target === undefined) {
      const xml = `<StackResourceSummaries>${tables.map(resourceXml).join("")}</StackResourceSummaries>`;
      const name = new URLSearchParams(body).get("Action");
      return { status: 200, text: `<${name}Response><${name}Result>${xml}</${name}Result></${name}Response>` };
    }
    if (String(target).endsWith(".RestoreTableToPointInTime")) {
      const { SourceTableName, TargetTableName } = JSON.parse(body);
      await restore(SourceTableName, TargetTableName);
      return { status: 200, text: "{}" };
    }
    const headers = { "content-type": "application/x-amz-json-1.0", "x-amz-target": String(target) };
    const authorization = String(request.headers.authorization);
    const response = await fetch(engineUrl, {
      method: "POST",
      headers: { ...headers, authorization, "x-amz-date": String(request.headers["x-amz-date"]) },
      body,
    });
    return { status: response.status, text: await response.text() };
  };

  const server = createServer((request, response) => {
    answer(request).then(
      ({ status, text }) => response.writeHead(status, { "content-type": "application/x-amz-json-1.0" }).end(text),
      (error: unknown) => response.writeHead(500).end(JSON.stringify({ message: String(error) })),
    );
  });
  return listen(server, 0);
};
