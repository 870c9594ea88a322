import {
  HttpIntegrationType,
  HttpRouteIntegration,
  type HttpRouteIntegrationConfig,
  IntegrationCredentials,
  PayloadFormatVersion,
} from "aws-cdk-lib/aws-apigatewayv2";
import type { IRole } from "aws-cdk-lib/aws-iam";
import type { IFunction } from "aws-cdk-lib/aws-lambda";

/**
 * A Lambda integration that API Gateway calls under a role. The CDK's own integration adds a permission to the function
 * for each route, which takes a resource of the stack each.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigatewayv2-integration.html#cfn-apigatewayv2-integration-credentialsarn
 */
export class FunctionIntegration extends HttpRouteIntegration {
  readonly #config: HttpRouteIntegrationConfig;

  /** @param role may be assumed by `apigateway.amazonaws.com`, and may invoke the function. */
  constructor(id: string, target: IFunction, role: IRole) {
    super(id);
    this.#config = {
      type: HttpIntegrationType.AWS_PROXY,
      uri: target.functionArn,
      payloadFormatVersion: PayloadFormatVersion.VERSION_2_0,
      credentials: IntegrationCredentials.fromRole(role),
    };
  }

  override bind(): HttpRouteIntegrationConfig {
    return this.#config;
  }
}
