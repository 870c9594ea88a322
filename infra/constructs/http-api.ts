import { Duration, Stack, Validations } from "aws-cdk-lib";
import { CorsHttpMethod, type CorsPreflightOptions, HttpApi } from "aws-cdk-lib/aws-apigatewayv2";
import { Construct } from "constructs";
import { pageRoutes, pathsOf } from "../../shared/api/page-routes.ts";
import { allRoutes, refusedRoutes, routes } from "../../shared/api/routes.ts";
import { addRoutes, DEFAULT_ROUTE, routeOf } from "./api-routes.ts";
import { addStage, domainOf, ipAddressTypeOf } from "./api-stage.ts";
import type { DeploymentConfig } from "./resources/deployment-config.ts";
import type { RouteFunctions } from "./route-functions.ts";

type Props = { config: DeploymentConfig; functions: RouteFunctions };

const FUNCTION_AUTHENTICATES =
  "The functions verify the token themselves (shared/http/authenticate.ts): an authorizer of the gateway can neither answer the Error body nor record a security event.";

/**
 * What pages of other origins may send and read. They send tokens in a header, so credentials (cookies) stay off.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html
 */
const corsOf = ({ allowedOrigins }: DeploymentConfig): CorsPreflightOptions => ({
  allowOrigins: [...allowedOrigins],
  allowMethods: [...new Set(allRoutes.map(([, { method }]) => CorsHttpMethod[method]))],
  allowHeaders: ["authorization", "content-type", "idempotency-key"],
  exposeHeaders: ["link", "retry-after", "x-next-cursor", "x-request-id"],
  maxAge: Duration.hours(1),
});

/** The HTTP API: each route invokes its function; any other request invokes the function that answers 404 or 405. */
export class ServiceHttpApi extends Construct {
  readonly api: HttpApi;
  readonly url: string;
  readonly consoleUrl: string;

  constructor(scope: Construct, id: string, { config, functions }: Props) {
    super(scope, id);
    const domain = domainOf(config.domainName, config.certificateArn);
    this.api = new HttpApi(this, "Api", {
      apiName: Stack.of(this).stackName,
      createDefaultStage: false,
      // With a domain name, the API is reachable only under that name.
      disableExecuteApiEndpoint: domain !== undefined,
      ipAddressType: ipAddressTypeOf(config),
      ...(config.allowedOrigins.length > 0 && { corsPreflight: corsOf(config) }),
    });
    addRoutes(this.api, functions.unknownRoute, [DEFAULT_ROUTE, ...refusedRoutes.map(routeOf)]);
    for (const [name, target] of functions.byRoute) {
      const { method, ...route } = { ...routes, ...pageRoutes }[name];
      addRoutes(
        this.api,
        target,
        pathsOf(route).map((path) => routeOf({ method, path })),
      );
    }
    Validations.of(this.api).acknowledge({ id: "AwsSolutions-APIG4", reason: FUNCTION_AUTHENTICATES });
    const stage = addStage(this, { api: this.api, config, domain, outputPrefix: "Api" });
    this.url = domain === undefined ? stage.url : `https://${domain.domainName}`;
    // Functions get it: unlike the stage's address, the API's own attribute does not wait for routes and their functions.
    this.consoleUrl = `${domain === undefined ? this.api.apiEndpoint : this.url}${pageRoutes.getConsole.path}`;
  }
}
