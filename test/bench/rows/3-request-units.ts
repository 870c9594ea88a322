/** DynamoDB units of the plant endpoints, as the embedded engine reports them to a proxy. */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { startDynamoDb } from "../../../infra/local/dynamodb/engine.ts";
import { createTables } from "../../../infra/local/dynamodb/tables.ts";
import { functionOf, functionsByRoute, mainFile, readDeployedStack } from "../deployed-function.ts";
import { startHttpsMocks } from "../mocks/https-mocks.ts";
import { startMeteringProxy } from "../mocks/metering-proxy.ts";
import { benchEnvironment, claims, type PlantRoute, plantRequest } from "../plant-requests.ts";
import { type Budget, budgetText, judge, type Measurement, type Row } from "../row.ts";
import { runSuccessfully } from "../run-instance.ts";

const WRITE: Budget = { limit: 1 };
const READ: Budget = { limit: 0.5 };
const PLANTS = 50;

const queryOfNextPage = ({ headers }: APIGatewayProxyStructuredResultV2): string => {
  const next = /\?([^>]+)>/.exec(String(headers?.link))?.[1];
  if (next === undefined) throw new Error("The first page has no next one.");
  return next;
};

export const measurement: Measurement = {
  title: "DynamoDB request units",
  measure: async (bench) => {
    const stack = await readDeployedStack(bench);
    const functions = functionsByRoute(stack);
    const engine = await startDynamoDb({});
    const proxy = await startMeteringProxy(engine.endpoint);
    const mocks = await startHttpsMocks();
    try {
      await createTables(engine.endpoint, stack.tables);
      const token = await mocks.sign(claims);

      const send = async (route: PlantRoute, events: readonly APIGatewayProxyEventV2[]) => {
        const fn = functionOf(functions, route);
        const environment = {
          ...benchEnvironment(fn, { issuer: mocks.issuer, endpoint: proxy.endpoint }),
          NODE_EXTRA_CA_CERTS: mocks.certificateFile,
        };
        return (await runSuccessfully({ file: mainFile(fn), environment, events })).responses;
      };
      const meter = (metric: string, budget: Budget, unit: string, requests: number): Row => {
        const { calls, units } = proxy.read();
        const perRequest = units / requests;
        const callsPerRequest = calls.length / requests;
        return {
          metric,
          budget: `${budgetText(budget, unit)}, 1 call`,
          measured: `${perRequest} ${unit}, ${callsPerRequest} call (${[...new Set(calls)].join(", ")})`,
          verdict: callsPerRequest > 1 ? "missed" : judge(perRequest, budget),
        };
      };
      const list = (query: string) => send("GET /plants", [plantRequest("GET /plants", { token, query })]);
      const each = (route: PlantRoute) => Array.from({ length: PLANTS }, (_, id) => plantRequest(route, { token, id }));

      await send("POST /plants", each("POST /plants"));
      const rows = [meter("create a plant", WRITE, "write units", PLANTS)];
      await list("");
      rows.push(meter(`list ${PLANTS} plants`, READ, "read units", 1));
      const [firstPage = {}] = await list("limit=25");
      rows.push(meter("the first page of two", READ, "read units", 1));
      await list(queryOfNextPage(firstPage));
      rows.push(meter("the following page", READ, "read units", 1));
      await send("DELETE /plants/{id}", each("DELETE /plants/{id}"));
      rows.push(meter("delete a plant", WRITE, "write units", PLANTS));
      return rows;
    } finally {
      await Promise.all([mocks.stop(), proxy.stop()]);
      await engine.stop();
    }
  },
};
