import { RemovalPolicy, Validations } from "aws-cdk-lib";
import { AccessLogFormat } from "aws-cdk-lib/aws-apigateway";
import { DomainName, HttpApi, HttpMethod, HttpStage, LogGroupLogDestination } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { routes } from "../../shared/api/routes.ts";
import type { DeploymentConfig } from "./resources/deployment-config.ts";
import type { RouteFunctions } from "./route-functions.ts";

type Props = { config: Pick<DeploymentConfig, "domainName" | "certificateArn">; functions: RouteFunctions };

/** Requests per second and burst size, for all callers together. Beyond, API Gateway answers 429. */
const THROTTLE = { rateLimit: 500, burstLimit: 1_000 };

/** Contains no addresses and no users: these are only in security events, which can be erased. */
const ACCESS_LOG = AccessLogFormat.custom(
  JSON.stringify({
    requestId: "$context.requestId",
    route: "$context.routeKey",
    status: "$context.status",
    latencyMs: "$context.responseLatency",
    gatewayError: "$context.error.responseType",
  }),
);

const FUNCTION_AUTHENTICATES =
  "The functions verify the token themselves (shared/http/authenticate.ts): an authorizer of the gateway can neither answer the Error body nor record a security event.";

/** The HTTP API: each route invokes its function; any other request invokes the function that answers 404 or 405. */
export class ServiceHttpApi extends Construct {
  readonly api: HttpApi;
  readonly url: string;

  constructor(scope: Construct, id: string, { config, functions }: Props) {
    super(scope, id);
    this.api = new HttpApi(this, "Api", {
      createDefaultStage: false,
      // With a custom domain name, the API is reachable only under that name.
      disableExecuteApiEndpoint: config.domainName !== undefined,
      defaultIntegration: new HttpLambdaIntegration("UnknownRoute", functions.unknownRoute),
    });
    for (const [name, target] of functions.byRoute) {
      const { method, path } = routes[name];
      this.api.addRoutes({ path, methods: [HttpMethod[method]], integration: new HttpLambdaIntegration(name, target) });
    }
    Validations.of(this.api).acknowledge({ id: "AwsSolutions-APIG4", reason: FUNCTION_AUTHENTICATES });

    const accessLog = new LogGroup(this, "AccessLog", {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const { domainName, certificateArn } = config;
    const domain =
      domainName !== undefined && certificateArn !== undefined
        ? new DomainName(this, "DomainName", {
            domainName,
            certificate: Certificate.fromCertificateArn(this, "Certificate", certificateArn),
          })
        : undefined;
    const stage = new HttpStage(this, "Stage", {
      httpApi: this.api,
      stageName: "$default",
      autoDeploy: true,
      throttle: THROTTLE,
      accessLogSettings: { destination: new LogGroupLogDestination(accessLog), format: ACCESS_LOG },
      ...(domain && { domainMapping: { domainName: domain } }),
    });
    this.url = domain === undefined ? stage.url : `https://${domainName}`;
  }
}
