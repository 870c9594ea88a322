/** How the platform at the payment provider reaches functions, and how the control server changes its secrets. */
import * as z from "zod";
import type { Platform } from "../core/platform.ts";
import type { SecretValues } from "../gateway/secrets-manager-service.ts";
import { type JsonRoutes, refuse } from "../http/json-server.ts";

/** The values that Secrets Manager answers, by the environment variable with the secret's ARN. */
export const secretValuesOf =
  (platform: Platform): SecretValues =>
  (variable) => {
    if (variable === "PROVIDER_OAUTH_SECRET_ARN") return platform.secret;
    return variable === "PROVIDER_PLATFORM_WEBHOOK_SECRET_ARN" ? platform.webhookSecret : undefined;
  };

/** The variables that functions receive: what is not configured is empty. */
export const platformEnvironment = ({ clientId, webhookSecret }: Platform): Record<string, string> => ({
  PROVIDER_OAUTH_CLIENT_ID: clientId,
  ...(webhookSecret === undefined && { PROVIDER_PLATFORM_WEBHOOK_SECRET_ARN: "" }),
});

const value = z.string().min(1).nullable().optional();
const Rotation = z.strictObject({ secret: value, webhookSecret: value });

/** The route of the control server that rotates the platform's secrets, or removes one with null. */
export const platformRoutes = (platform: Platform): JsonRoutes => ({
  "POST /platform": ({ body }) => {
    const parsed = Rotation.safeParse(body);
    if (!parsed.success) return refuse(400, z.prettifyError(parsed.error));
    for (const [name, given] of Object.entries(parsed.data)) {
      if (given !== undefined) platform[name as keyof typeof parsed.data] = given ?? undefined;
    }
    return { status: 200, body: { secret: platform.secret ?? null, webhookSecret: platform.webhookSecret ?? null } };
  },
});
