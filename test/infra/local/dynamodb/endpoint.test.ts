import { once } from "node:events";
import { createServer } from "node:http";
import { expect, it } from "@jest/globals";
import { requireDynamoDb, startDynamoDb } from "../../../../infra/local/dynamodb/engine.ts";

it("uses a given endpoint, and fails if it does not answer", async () => {
  const server = createServer((_request, response) => response.writeHead(400).end()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const endpoint = typeof address === "object" ? `http://127.0.0.1:${address?.port}` : "";
  await requireDynamoDb(endpoint);
  const database = await startDynamoDb({ endpoint: `${endpoint}/` });
  expect(database).toMatchObject({ endpoint });
  await database.stop();
  server.close();
  server.closeAllConnections();
  await once(server, "close");
  const refusal =
    `the environment variable DYNAMODB_ENDPOINT is "${endpoint}", which does not answer: ` +
    "start a DynamoDB-compatible server there, or unset the variable";
  await expect(requireDynamoDb(endpoint)).rejects.toThrow(refusal);
  await expect(startDynamoDb({ endpoint })).rejects.toThrow(refusal);
});
