import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import type { DeploymentConfig } from "./deployment-config.ts";

type Config = Pick<
  DeploymentConfig,
  "providerApiUrl" | "providerAuthorizeUrl" | "providerOauthClientId" | "providerOauthSecretArn"
>;

/** The provider's addresses and the platform's OAuth client. A variable is empty if it is not configured. */
export class ProviderSettings extends Construct {
  readonly environment: Readonly<Record<string, string>>;

  constructor(scope: Construct, id: string, config: Config) {
    super(scope, id);
    const { providerOauthSecretArn } = config;
    this.environment = {
      PROVIDER_API_URL: config.providerApiUrl ?? "",
      PROVIDER_AUTHORIZE_URL: config.providerAuthorizeUrl ?? "",
      PROVIDER_OAUTH_CLIENT_ID: config.providerOauthClientId ?? "",
      // Resolved by CloudFormation at deployment: the template never holds the value.
      PROVIDER_OAUTH_SECRET:
        providerOauthSecretArn === undefined
          ? ""
          : Secret.fromSecretCompleteArn(this, "OauthSecret", providerOauthSecretArn).secretValue.unsafeUnwrap(),
    };
  }
}
