/** The environment variables of `npm start`. They are checked together, before slow work. */
import { join, resolve } from "node:path";
import { parseContext } from "../../config.ts";
import type { LocalCloudOptions } from "../cloud/local-cloud-options.ts";
import { webhookSecretsOf } from "../core/platform.ts";
import { deploymentContext, nameOfSetting } from "./deployment-context.ts";
import { nameOfVariable, readText, readUrl, readWholeNumber, readWord, type Variables } from "./variables.ts";

const isSecretOrList = (webhookSecret: string): boolean => {
  try {
    return webhookSecretsOf({ webhookSecret }).length > 0;
  } catch {
    return false;
  }
};

const RATE_LIMIT = "--provider-rate-limit";

/** Servers and secrets that replace parts of the local cloud. Errors do not print the secrets. */
const readReplacements = (variables: Variables, options: Variables) => {
  const dynamodbEndpoint = readUrl(variables, "DYNAMODB_ENDPOINT");
  const providerApiUrl = readUrl(variables, "PROVIDER_API_URL");
  const clientId = readText(variables, "PROVIDER_OAUTH_CLIENT_ID");
  const secret = readText(variables, "PROVIDER_OAUTH_SECRET");
  const platformWebhookSecret = readText(variables, "PROVIDER_PLATFORM_WEBHOOK_SECRET");
  const [source, limitName] = readText(options, RATE_LIMIT)
    ? [options, RATE_LIMIT]
    : [variables, "PROVIDER_RATE_LIMIT"];
  const providerRateLimit = readWholeNumber(source, limitName, { min: 1, max: 100_000 });
  if (providerApiUrl !== undefined && providerRateLimit !== undefined)
    throw new Error(
      `${nameOfVariable(limitName)} limits the simulator, and PROVIDER_API_URL replaces it: set one of them`,
    );
  if (!clientId !== !secret) {
    const [missing, given] = clientId ? ["SECRET", "CLIENT_ID"] : ["CLIENT_ID", "SECRET"];
    throw new Error(
      `${nameOfVariable(`PROVIDER_OAUTH_${missing}`)} is missing: PROVIDER_OAUTH_${given} is set, give both or neither`,
    );
  }
  if (platformWebhookSecret !== undefined && !isSecretOrList(platformWebhookSecret)) {
    const name = nameOfVariable("PROVIDER_PLATFORM_WEBHOOK_SECRET");
    throw new Error(`${name} is malformed: expected a secret, or a JSON list of secrets such as ["whsec_1","whsec_2"]`);
  }
  return {
    ...(dynamodbEndpoint && { dynamodbEndpoint }),
    ...(providerApiUrl && { providerApiUrl }),
    ...(clientId && secret && { providerOauth: { clientId, secret } }),
    ...(platformWebhookSecret && { platformWebhookSecret }),
    ...(providerRateLimit && { providerRateLimit }),
  };
};

export type StartSettings = {
  /** The context keys of the deployment (../config.ts) that variables set. */
  context: Record<string, string>;
  /** Whether changed functions are replaced while they run. */
  isReloading: boolean;
  cloud: Pick<
    LocalCloudOptions,
    | "port"
    | "dataDirectory"
    | "claimNames"
    | "isIssuerRotating"
    | "dynamodbEndpoint"
    | "providerApiUrl"
    | "providerOauth"
    | "platformWebhookSecret"
    | "providerRateLimit"
  >;
};

/**
 * @param root the checkout, to which LOCAL_DATA_DIR is relative
 * @param options the command's own options, by name; an option comes before its variable
 * @throws Error that names the first variable that cannot be used, and what is expected
 */
export const readStartSettings = (variables: Variables, root: string, options: Variables = {}): StartSettings => {
  const port = readWholeNumber(variables, "PORT", { min: 1, max: 65_535 }) ?? 3000;
  const replacements = readReplacements(variables, options);
  const context = deploymentContext(variables);
  const { organizationClaim: organization, roleClaim: role } = parseContext(context, undefined, nameOfSetting);
  const dataDirectory = resolve(root, readText(variables, "LOCAL_DATA_DIR") ?? join(".local", "data"));
  const isReloading = (readWord(variables, "RELOAD", ["on", "off"]) ?? "on") === "on";
  const refreshTokens = readWord(variables, "ISSUER_REFRESH_TOKENS", ["rotate", "keep"]);
  const issuer = {
    claimNames: { organization, role },
    ...(refreshTokens !== undefined && { isIssuerRotating: refreshTokens === "rotate" }),
  };
  return { context, isReloading, cloud: { port, dataDirectory, ...issuer, ...replacements } };
};
