import { Stack, Validations } from "aws-cdk-lib";
import { HttpApi } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { addStage, domainOf, ipAddressTypeOf } from "./api-stage.ts";
import type { DeploymentConfig } from "./resources/deployment-config.ts";

type Props = { config: DeploymentConfig; target: LambdaFunction };

/**
 * An HTTP API of its own for webhooks, which passes every request to one function. Unlike a function URL, it exists in
 * every region, can have a domain name, and keeps its address if the function is replaced.
 */
export class WebhookApi extends Construct {
  readonly api: HttpApi;
  /** The base URL with a slash at its end. */
  readonly url: string;

  constructor(scope: Construct, id: string, { config, target }: Props) {
    super(scope, id);
    const domain = domainOf(config.webhookDomainName, config.webhookCertificateArn);
    this.api = new HttpApi(this, "Api", {
      apiName: `${Stack.of(this).stackName}-webhooks`,
      createDefaultStage: false,
      disableExecuteApiEndpoint: domain !== undefined,
      ipAddressType: ipAddressTypeOf(config),
      defaultIntegration: new HttpLambdaIntegration("ReceiveWebhook", target),
    });
    Validations.of(this.api).acknowledge({
      id: "AwsSolutions-APIG4",
      reason: "The signature authenticates the provider, which supports no other authentication.",
    });
    addStage(this, { api: this.api, config, domain, outputPrefix: "Webhooks" });
    this.url = domain === undefined ? `${this.api.apiEndpoint}/` : `https://${domain.domainName}/`;
  }
}
