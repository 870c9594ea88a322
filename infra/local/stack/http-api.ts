import { createHash } from "node:crypto";
import * as z from "zod";
import type { HttpApiModel, RouteModel } from "../core/model.ts";
import { TemplateError } from "../core/template-error.ts";
import type { ResourceFamily, StackReader } from "../template/stack-reader.ts";
import { arnIn, unnamed } from "../template/template.ts";

const apiPlan = {
  supported: z.object({ Name: z.string().optional(), ProtocolType: z.literal("HTTP") }),
  ignored: ["DisableExecuteApiEndpoint", "Tags"],
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
    RouteKey: z.string().regex(/^(\$default|(GET|PUT|POST|DELETE|PATCH) (\/|(\/([^/{}]+|\{[^/{}+]+\}))+))$/),
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
  }),
};

const readRoutes = (stack: StackReader, apiArn: string): RouteModel[] => {
  const functionArns = new Map(
    stack.resources("AWS::ApiGatewayV2::Integration").map((resource) => {
      const { IntegrationUri } = stack.properties(resource, integrationPlan);
      return [`integrations/${resource.ref}`, IntegrationUri];
    }),
  );
  return stack.resources("AWS::ApiGatewayV2::Route").map((resource) => {
    const { RouteKey: routeKey, Target } = stack.properties(resource, routePlan);
    const functionArn = functionArns.get(Target);
    if (functionArn === undefined) throw new TemplateError(resource.logicalId, `its target ${Target} is not declared`);
    // https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
    return { routeKey, functionArn, sourceArn: `${apiArn}/$default/${routeKey.replace(" ", "")}` };
  });
};

const readApi = (stack: StackReader): HttpApiModel | undefined => {
  const [api, ...others] = stack.resources("AWS::ApiGatewayV2::Api");
  const [other] = others;
  if (other !== undefined) throw new TemplateError(other.logicalId, "the local cloud runs only one HTTP API");
  if (api === undefined) return undefined;
  stack.properties(api, apiPlan);
  for (const stage of stack.resources("AWS::ApiGatewayV2::Stage")) stack.properties(stage, stagePlan);
  const { logicalId, ref: apiId } = api;
  const arn = arnIn(stack.scope, "execute-api", apiId);
  return { logicalId, apiId, arn, routes: readRoutes(stack, arn) };
};

/** AWS::ApiGatewayV2: one HTTP API with Lambda proxy integrations of payload format 2.0. */
export const httpApi: ResourceFamily = {
  identities: {
    "AWS::ApiGatewayV2::Api": ({ logicalId, scope }) => {
      const apiId = createHash("sha256").update(`${scope.stackName}/${logicalId}`).digest("hex").slice(0, 10);
      return { ref: apiId, attributes: scope.apiUrl === undefined ? {} : { ApiEndpoint: scope.apiUrl } };
    },
    "AWS::ApiGatewayV2::Integration": ({ logicalId }) => ({ ref: logicalId, attributes: {} }),
    "AWS::ApiGatewayV2::Route": unnamed,
    "AWS::ApiGatewayV2::Stage": unnamed,
  },
  read: (stack) => ({ httpApi: readApi(stack) }),
};
