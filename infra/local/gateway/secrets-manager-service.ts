import * as z from "zod";
import type { SecretModel, StackModel } from "../core/model.ts";
import { type AwsService, errorAnswer, jsonAnswer } from "./service.ts";

const Request = z.object({
  SecretId: z.string(),
  VersionStage: z.literal("AWSCURRENT").default("AWSCURRENT"),
});

/** One version for ever: nothing here rotates. */
const versionId = "00000000-0000-4000-8000-000000000000";

const answers: Record<string, (secret: SecretModel) => Record<string, unknown>> = {
  GetSecretValue: ({ value }) => ({ SecretString: value, VersionId: versionId, VersionStages: ["AWSCURRENT"] }),
  DescribeSecret: () => ({ VersionIdsToStages: { [versionId]: ["AWSCURRENT"] } }),
};

/** Secrets Manager, as far as reading the template's secrets goes; every other operation is denied. */
export const createSecretsManagerService = ({ secrets, ...model }: StackModel): AwsService => {
  const find = (json: unknown): SecretModel | undefined => {
    const id = Request.safeParse(json).data?.SecretId;
    return secrets.find(({ arn, name }) => id === arn || id === name);
  };

  return {
    checks: ({ operation, json }) => {
      const request = Request.safeParse(json);
      if (!request.success || !Object.hasOwn(answers, operation)) return undefined;
      // A name that is no secret's is judged as one: an answer must not tell which exist.
      const { SecretId: id } = request.data;
      const unknown = id.startsWith("arn:")
        ? id
        : `arn:aws:secretsmanager:${model.region}:${model.accountId}:secret:${id}`;
      return [{ action: `secretsmanager:${operation}`, resource: find(json)?.arn ?? unknown }];
    },
    answer: async ({ operation, json }) => {
      const secret = find(json);
      const content = secret && answers[operation]?.(secret);
      if (secret === undefined || content === undefined) {
        return errorAnswer(400, "ResourceNotFoundException", "Secrets Manager can't find the specified secret.");
      }
      return jsonAnswer(200, { ARN: secret.arn, Name: secret.name, ...content });
    },
    close: () => {},
  };
};
