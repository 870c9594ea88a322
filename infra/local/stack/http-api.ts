import { createHash } from "node:crypto";
import * as z from "zod";
import type { HttpApiModel, RouteModel } from "../core/model.ts";
import { TemplateError } from "../core/template-error.ts";
import type { Resource, ResourceFamily, StackReader } from "../template/stack-reader.ts";
import { arnIn, unnamed } from "../template/template.ts";

/** The type of HTTP APIs, whose ports are taken before the template is read. */
export const HTTP_API = "AWS::ApiGatewayV2::Api";
export const ROUTE = "AWS::ApiGatewayV2::Route";

const apiPlan = {
  supported: z.object({
    Name: z.string().optional(),
    ProtocolType: z.literal("HTTP"),
    CorsConfiguration: z
      .strictObject({
        // Origins by name only, without API Gateway's wildcards.
        AllowOrigins: z.array(z.string().regex(/^[^*]+$/)),
        AllowMethods: z.array(z.string()).default([]),
        AllowHeaders: z.array(z.string()).default([]),
        ExposeHeaders: z.array(z.string()).default([]),
        MaxAge: z.int().default(0),
      })
      .optional(),
  }),
  ignored: ["DisableExecuteApiEndpoint", "IpAddressType", "Tags"],
};

const stagePlan = {
  supported: z.object({ ApiId: z.string(), StageName: z.literal("$default") }),
  ignored: ["AutoDeploy", "Tags"],
  notApplied: {
    AccessLogSettings: "no access log is written",
    DefaultRouteSettings: "requests are not throttled, and no metrics are kept",
  },
};

const routePlan = {
  supported: z.object({
    ApiId: z.string(),
    RouteKey: z
      .string()
      .regex(/^(\$default|(GET|PUT|POST|DELETE|PATCH) (\/|(\/([^/{}]+|\{[^/{}+]+\}))+(\/\{[^/{}+]+\+\})?))$/),
    Target: z.string(),
    AuthorizationType: z.literal("NONE").optional(),
  }),
};

const integrationPlan = {
  supported: z.object({
    ApiId: z.string(),
    IntegrationType: z.literal("AWS_PROXY"),
    IntegrationUri: z.string(),
    PayloadFormatVersion: z.literal("2.0"),
    // The identity of the API's caller (`arn:aws:iam::*:user/*`) is not supported.
    CredentialsArn: z
      .string()
      .regex(/^arn:[^:]+:iam::\d{12}:role\//)
      .optional(),
  }),
};

const readRoutes = (stack: StackReader, apiId: string, apiArn: string): RouteModel[] => {
  const integrations = new Map(
    stack.resources("AWS::ApiGatewayV2::Integration").map((resource) => {
      const { IntegrationUri: functionArn, CredentialsArn: roleArn } = stack.properties(resource, integrationPlan);
      return [`integrations/${resource.ref}`, { functionArn, ...(roleArn !== undefined && { roleArn }) }];
    }),
  );
  return stack.resources(ROUTE).flatMap((resource) => {
    const { ApiId, RouteKey: routeKey, Target } = stack.properties(resource, routePlan);
    if (ApiId !== apiId) return [];
    const integration = integrations.get(Target);
    if (integration === undefined) throw new TemplateError(resource.logicalId, `its target ${Target} is not declared`);
    // https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
    return [{ routeKey, ...integration, sourceArn: `${apiArn}/$default/${routeKey.replace(" ", "")}` }];
  });
};

const readApi = (stack: StackReader, api: Resource): HttpApiModel => {
  const { CorsConfiguration: cors } = stack.properties(api, apiPlan);
  const { logicalId, ref: apiId } = api;
  const arn = arnIn(stack.scope, "execute-api", apiId);
  return {
    logicalId,
    apiId,
    arn,
    routes: readRoutes(stack, apiId, arn),
    ...(cors && {
      cors: {
        allowOrigins: cors.AllowOrigins,
        allowMethods: cors.AllowMethods,
        allowHeaders: cors.AllowHeaders,
        exposeHeaders: cors.ExposeHeaders,
        maxAgeSeconds: cors.MaxAge,
      },
    }),
  };
};

const readApis = (stack: StackReader): HttpApiModel[] => {
  for (const stage of stack.resources("AWS::ApiGatewayV2::Stage")) stack.properties(stage, stagePlan);
  const apis = stack.resources(HTTP_API).map((api) => readApi(stack, api));
  return apis.toSorted((a, b) => b.routes.length - a.routes.length);
};

/** AWS::ApiGatewayV2: HTTP APIs with Lambda proxy integrations of payload format 2.0. */
export const httpApi: ResourceFamily = {
  identities: {
    [HTTP_API]: ({ logicalId, scope }) => {
      const apiId = createHash("sha256").update(`${scope.stackName}/${logicalId}`).digest("hex").slice(0, 10);
      const url = scope.urls?.get(logicalId);
      return { ref: apiId, attributes: { ...(url !== undefined && { ApiEndpoint: url }) } };
    },
    "AWS::ApiGatewayV2::Integration": ({ logicalId }) => ({ ref: logicalId, attributes: {} }),
    [ROUTE]: unnamed,
    "AWS::ApiGatewayV2::Stage": unnamed,
  },
  read: (stack) => ({ httpApis: readApis(stack) }),
};
