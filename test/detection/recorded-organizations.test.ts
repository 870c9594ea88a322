import { PutItemCommand } from "@aws-sdk/client-dynamodb";
import { expect, it } from "@jest/globals";
import { engineClient } from "../../infra/local/dynamodb/client.ts";
import { useDetectionEngine } from "../shared/detection/use-detection-engine.ts";
import { recordedOrganizations } from "./recorded-organizations.ts";

const engine = useDetectionEngine();

it("finds each organization with events once, in order, across pages; not the scope without an organization", async () => {
  const client = engineClient(engine.endpoint);
  // A page ends after a megabyte.
  const filler = { S: "x".repeat(300_000) };
  const put = (scope: string, id: string) =>
    client.send(
      new PutItemCommand({ TableName: "securityEvents", Item: { scope: { S: scope }, id: { S: id }, filler } }),
    );
  for (const id of ["1", "2", "3"]) for (const scope of ["org#zoo", "org#a%23b", "none#3"]) await put(scope, id);
  expect(await recordedOrganizations(client, "securityEvents")).toEqual(["a#b", "zoo"]);
  client.destroy();
});
