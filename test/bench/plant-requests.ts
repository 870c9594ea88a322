import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { FunctionModel } from "../../infra/local/core/model.ts";
import { httpEvent } from "../support/http-event.ts";

/** The routes of the plant store, as route keys. */
export const plantRoutes = ["POST /plants", "GET /plants", "DELETE /plants/{id}"] as const;
export type PlantRoute = (typeof plantRoutes)[number];

type Parameters = { token: string; id?: number; query?: string };

/** A valid request to a route, as an event of the HTTP API. */
export const plantRequest = (
  routeKey: PlantRoute,
  { token, id = 1, query = "" }: Parameters,
): APIGatewayProxyEventV2 => {
  const [method = "", path = ""] = routeKey.split(" ");
  const event = httpEvent({
    method,
    rawPath: path.replace("{id}", String(id)),
    rawQueryString: query,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(method === "POST" && { body: JSON.stringify({ id, name: "Monstera deliciosa", tag: "tropical" }) }),
    ...(method === "DELETE" && { pathParameters: { id: String(id) } }),
  });
  return { ...event, routeKey };
};

/** The claims of a caller's token, in addition to issuer and times. */
export const claims = { sub: "ada", org_id: "acme", org_role: "admin", aud: "plant-store" };

/** The environment of a function, with the benchmark's issuer and AWS endpoint. */
export const benchEnvironment = (
  fn: FunctionModel,
  { issuer, endpoint }: { issuer: string; endpoint: string },
): Record<string, string> => ({
  ...fn.environment,
  ISSUER: issuer,
  AUDIENCE: claims.aud,
  AWS_ENDPOINT_URL: endpoint,
  AWS_REGION: "eu-central-1",
  AWS_ACCESS_KEY_ID: "local",
  AWS_SECRET_ACCESS_KEY: "local",
  // Has the length of a real session token.
  AWS_SESSION_TOKEN: "t".repeat(700),
  AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
  AWS_LAMBDA_FUNCTION_NAME: fn.name,
  LANG: "en_US.UTF-8",
  TZ: ":UTC",
});
