import { createHash } from "node:crypto";
import * as z from "zod";
import type { RouteModel } from "../core/model.ts";
import { unnamed } from "../template/identity.ts";
import type { Resource, ResourceFamily, StackReader } from "../template/stack-reader.ts";
import { arnIn } from "../template/template.ts";

const apiPlan = {
  understood: z.object({ Name: z.string().optional(), ProtocolType: z.string().optional() }),
  nothingLocally: ["Description", "DisableExecuteApiEndpoint", "FailOnWarnings", "IpAddressType", "Tags", "Version"],
  notApplied: { CorsConfiguration: "no CORS headers are added, and OPTIONS is not answered for the routes" },
};

const stagePlan = {
  understood: z.object({ ApiId: z.string(), StageName: z.string() }),
  nothingLocally: ["AutoDeploy", "DeploymentId", "Description", "Tags"],
  notApplied: {
    AccessLogSettings: "no access log is written",
    DefaultRouteSettings: "requests are not throttled, and no metrics are kept",
    RouteSettings: "requests are not throttled, and no metrics are kept",
    StageVariables: "events have no stage variables",
  },
};

const routePlan = {
  understood: z.object({
    ApiId: z.string(),
    RouteKey: z.string(),
    Target: z.string().optional(),
    AuthorizationType: z.string().default("NONE"),
  }),
  nothingLocally: ["AuthorizationScopes", "AuthorizerId", "OperationName"],
};

const integrationPlan = {
  understood: z.object({
    ApiId: z.string(),
    IntegrationType: z.string(),
    IntegrationUri: z.string().optional(),
    PayloadFormatVersion: z.string().default("1.0"),
  }),
  nothingLocally: ["ConnectionType", "Description", "IntegrationMethod"],
  notApplied: {
    CredentialsArn: "the function is called under its own permissions, not under this role",
    TimeoutInMillis: "only the function's own time-out is applied",
  },
};

/** The function of a Lambda proxy integration, whose URI is its ARN or API Gateway's path around it. */
const functionArnIn = (uri = ""): string | undefined => /arn:aws:lambda:[^:]+:\d+:function:[^/]+/.exec(uri)?.[0];

/** By `integrations/{id}`, as routes refer to them. */
const readIntegrations = (stack: StackReader): Map<string, string> => {
  const found = new Map<string, string>();
  for (const resource of stack.resources("AWS::ApiGatewayV2::Integration")) {
    const { IntegrationType, IntegrationUri, PayloadFormatVersion } = stack.properties(resource, integrationPlan);
    const functionArn = functionArnIn(IntegrationUri);
    if (IntegrationType === "AWS_PROXY" && PayloadFormatVersion === "2.0" && functionArn !== undefined) {
      found.set(`integrations/${resource.ref}`, functionArn);
    } else stack.notRun(resource, "only Lambda proxy integrations with payload format 2.0 are called");
  }
  return found;
};

/**
 * The `aws:SourceArn` of a route's calls: `{api}/{stage}/{method}/{path}`, the path as in the route key.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 */
const sourceArnOf = (apiArn: string, stage: string, routeKey: string): string => {
  const [method = "", path] = routeKey.split(" ");
  return `${apiArn}/${stage}/${path === undefined ? routeKey : `${method === "ANY" ? "*" : method}${path}`}`;
};

type Route = { apiId: string; routeKey: string; functionArn: string };

const readRoute = (stack: StackReader, resource: Resource, integrations: Map<string, string>): Route[] => {
  const { ApiId: apiId, RouteKey: routeKey, Target = "", AuthorizationType } = stack.properties(resource, routePlan);
  if (AuthorizationType !== "NONE") {
    stack.notRun(resource, `${routeKey} is not served: nothing here checks its ${AuthorizationType} authorization`);
    return [];
  }
  const functionArn = integrations.get(Target);
  if (functionArn !== undefined) return [{ apiId, routeKey, functionArn }];
  stack.notRun(resource, `${routeKey} is not served: its integration is not run`);
  return [];
};

const readStages = (stack: StackReader): Map<string, string> =>
  new Map(
    stack.resources("AWS::ApiGatewayV2::Stage").map((resource) => {
      const { ApiId, StageName } = stack.properties(resource, stagePlan);
      if (StageName !== "$default") stack.notRun(resource, `paths have no /${StageName} in front here`);
      return [ApiId, StageName];
    }),
  );

/** AWS::ApiGatewayV2: HTTP APIs with Lambda proxy integrations of payload format 2.0. */
export const httpApis: ResourceFamily = {
  identities: {
    "AWS::ApiGatewayV2::Api": ({ logicalId, scope }) => {
      const apiId = createHash("sha256").update(`${scope.stackName}/${logicalId}`).digest("hex").slice(0, 10);
      const endpoint = scope.apiUrl === undefined ? {} : { ApiEndpoint: scope.apiUrl };
      return { ref: apiId, attributes: { ApiId: apiId, ...endpoint } };
    },
    "AWS::ApiGatewayV2::Integration": ({ logicalId }) => ({ ref: logicalId, attributes: {} }),
    "AWS::ApiGatewayV2::Route": unnamed,
    "AWS::ApiGatewayV2::Stage": ({ text }) => ({ ref: text("StageName") ?? "$default", attributes: {} }),
  },
  read: (stack) => {
    const integrations = readIntegrations(stack);
    const stages = readStages(stack);
    const routes = stack
      .resources("AWS::ApiGatewayV2::Route")
      .flatMap((route) => readRoute(stack, route, integrations));
    const apis = stack.resources("AWS::ApiGatewayV2::Api").flatMap((resource) => {
      const { ProtocolType } = stack.properties(resource, apiPlan);
      if (ProtocolType === "HTTP") return [resource];
      stack.notRun(resource, `the API is not served: ${ProtocolType ?? "its protocol"} is not HTTP`);
      return [];
    });
    return {
      httpApis: apis.map(({ logicalId, ref: apiId }) => {
        const arn = arnIn(stack.scope, "execute-api", apiId);
        const toModel = ({ routeKey, functionArn }: Route): RouteModel => ({
          routeKey,
          functionArn,
          sourceArn: sourceArnOf(arn, stages.get(apiId) ?? "$default", routeKey),
        });
        return { logicalId, apiId, arn, routes: routes.filter((route) => route.apiId === apiId).map(toModel) };
      }),
    };
  },
};
