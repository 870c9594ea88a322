import * as z from "zod";
import type { StackModel } from "../core/model.ts";
import { type AwsService, errorAnswer, jsonAnswer } from "./service.ts";

/** Strict: a parameter that is not supported (VersionId, AWSPREVIOUS) must not be ignored. */
const Request = z.strictObject({ SecretId: z.string().startsWith("arn:") });

/** The current value of a platform's secret that functions name by this environment variable; undefined if it has none. */
export type SecretValues = (variable: string) => string | undefined;

/**
 * Secrets Manager for the stack's secrets and the platform's, by their complete ARN: GetSecretValue. Every other operation is
 * denied.
 */
export const createSecretsManagerService = (options: {
  model: Pick<StackModel, "functions" | "secrets">;
  values: SecretValues;
}): AwsService => {
  const variableOf = new Map(
    options.model.functions.flatMap(({ environment }) =>
      Object.entries(environment).map(([variable, value]) => [value, variable] as const),
    ),
  );
  const generated = new Map(options.model.secrets.map(({ arn, value }) => [arn, value]));
  return {
    checks: ({ operation, json }) => {
      const { data } = Request.safeParse(json);
      if (data === undefined || operation !== "GetSecretValue") return undefined;
      return [{ action: "secretsmanager:GetSecretValue", resource: data.SecretId }];
    },
    answer: async ({ json }) => {
      const { SecretId: ARN } = Request.parse(json);
      const SecretString = generated.get(ARN) ?? options.values(variableOf.get(ARN) ?? "");
      return SecretString === undefined
        ? errorAnswer(400, "ResourceNotFoundException", "Secrets Manager can't find the specified secret.")
        : jsonAnswer(200, { ARN, SecretString, VersionStages: ["AWSCURRENT"] });
    },
    close: () => {},
  };
};
