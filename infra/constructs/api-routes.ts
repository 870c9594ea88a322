import { Stack } from "aws-cdk-lib";
import {
  CfnRoute,
  type HttpApi,
  HttpIntegration,
  HttpIntegrationType,
  PayloadFormatVersion,
} from "aws-cdk-lib/aws-apigatewayv2";
import { ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { groupIn } from "./subject-stacks.ts";

/**
 * Lets an API, and no other, invoke a function. The integration and the permission are in the function's stack, so they
 * are new before routes lead to a new function, and a route that is removed leads to its function as long as it exists.
 */
const integrationOf = (api: HttpApi, target: LambdaFunction): HttpIntegration => {
  target.addPermission("ApiGateway", {
    principal: new ServicePrincipal("apigateway.amazonaws.com"),
    sourceArn: Stack.of(api).formatArn({ service: "execute-api", resource: api.apiId, resourceName: "*/*" }),
  });
  return new HttpIntegration(target, "Integration", {
    httpApi: api,
    integrationType: HttpIntegrationType.AWS_PROXY,
    integrationUri: target.functionArn,
    payloadFormatVersion: PayloadFormatVersion.VERSION_2_0,
  });
};

/** A route's key, and the id of its construct below the API's. */
type Route = { key: string; id: string };

/** The key of every request that matches no route. */
export const DEFAULT_ROUTE: Route = { key: "$default", id: "DefaultRoute" };

export const routeOf = ({ method, path }: { method: string; path: string }): Route => ({
  key: `${method} ${path}`,
  id: `${method}${path}`,
});

/**
 * Leads routes of an API to a function. The routes are in the API's stack: an API has one route of a key, so a deployment
 * cannot move it to another stack or logical id. The ids are those of the CDK's own routes.
 */
export const addRoutes = (api: HttpApi, target: LambdaFunction, routes: readonly Route[]): void => {
  const { integrationId } = integrationOf(api, target);
  for (const { key, id } of routes)
    new CfnRoute(groupIn(api, id), "Resource", {
      apiId: api.apiId,
      routeKey: key,
      target: `integrations/${integrationId}`,
      authorizationType: "NONE",
    });
};
