/** The provider's addresses and the platform's own secrets there. A variable is empty if it is not configured. */
import { type Access, NO_ACCESS, together, variables } from "./access.ts";
import type { DeploymentConfig } from "./deployment-config.ts";

type Config = Pick<
  DeploymentConfig,
  | "providerApiUrl"
  | "providerAuthorizeUrl"
  | "providerOauthClientId"
  | "providerOauthSecretArn"
  | "platformWebhookSecretArn"
>;

/** The end of a complete ARN, which Secrets Manager chooses. A policy for an ARN without it stands for any end. */
const COMPLETE = /-[A-Za-z0-9]{6}$/;

/**
 * To read one secret at run time: neither the template nor an environment has the value.
 * https://docs.aws.amazon.com/secretsmanager/latest/userguide/auth-and-access_iam-policies.html
 */
const readSecret = (arn: string | undefined): Access =>
  arn === undefined
    ? NO_ACCESS
    : {
        grants: [
          {
            actions: ["secretsmanager:GetSecretValue"],
            resources: [COMPLETE.test(arn) ? arn : `${arn}-??????`],
          },
        ],
        environment: {},
      };

export type ProviderSettings = ReturnType<typeof providerSettings>;

export const providerSettings = ({
  providerApiUrl = "",
  providerAuthorizeUrl = "",
  providerOauthClientId = "",
  providerOauthSecretArn,
  platformWebhookSecretArn,
}: Config) => {
  const client = variables({ PROVIDER_OAUTH_CLIENT_ID: providerOauthClientId });
  return {
    /** To send users to the page where they grant access. */
    authorize: together(client, variables({ PROVIDER_AUTHORIZE_URL: providerAuthorizeUrl })),

    /** To call the provider, and to exchange tokens with the platform's OAuth client. */
    call: together(
      client,
      variables({ PROVIDER_API_URL: providerApiUrl, PROVIDER_OAUTH_SECRET_ARN: providerOauthSecretArn ?? "" }),
      readSecret(providerOauthSecretArn),
    ),

    /** To call the provider with API keys only. */
    callWithKeys: variables({
      PROVIDER_API_URL: providerApiUrl,
      PROVIDER_OAUTH_CLIENT_ID: "",
      PROVIDER_OAUTH_SECRET_ARN: "",
    }),

    /** To verify the webhooks of the platform's endpoint. */
    verifyWebhooks: together(
      variables({ PROVIDER_PLATFORM_WEBHOOK_SECRET_ARN: platformWebhookSecretArn ?? "" }),
      readSecret(platformWebhookSecretArn),
    ),
  };
};
