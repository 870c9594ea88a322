/** The configuration of a deployment. `infra/config.ts` parses it from the CDK's context and has the defaults. */
import type { RiskLevel } from "../../../shared/terms/risk-levels.ts";

export type DeploymentConfig = {
  /** `prod` keeps its tables when the stack is deleted, and protects them from deletion. */
  stage: "dev" | "prod";
  /** The `iss` of the tokens to trust; NO_ISSUER if the deployment trusts none. */
  issuer: string;
  /** The `aud` (or `client_id`) that tokens must name. */
  audience: string;
  organizationClaim: string;
  roleClaim: string;
  /** The retention of security events, their statistics and alerts, in days. */
  RETENTION_DAYS: number;
  SECURITY_LOG_LEVEL: RiskLevel;
  ALERT_THRESHOLD: RiskLevel;
  SYNC_INTERVAL_HOURS: number;
  providerApiUrl?: string | undefined;
  providerAuthorizeUrl?: string | undefined;
  providerOauthClientId?: string | undefined;
  providerOauthSecretArn?: string | undefined;
  platformWebhookSecretArn?: string | undefined;
  alarmTopicArn?: string | undefined;
  domainName?: string | undefined;
  certificateArn?: string | undefined;
};
