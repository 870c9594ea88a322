import { createHash } from "node:crypto";
import * as z from "zod";
import type { SecretModel } from "../core/model.ts";
import { type GeneratedSecrets, generateSecret, SecretRecipe } from "../template/secrets.ts";
import type { ResourceFamily, StackReader } from "../template/stack-reader.ts";
import { arnIn, nameOf } from "../template/template.ts";

const SECRET = "AWS::SecretsManager::Secret";

const plan = {
  supported: z.object({ Name: z.string().optional(), GenerateSecretString: SecretRecipe }),
  ignored: ["Description", "Tags"],
};

/** AWS::SecretsManager::Secret. */
export const secrets: ResourceFamily = {
  identities: {
    [SECRET]: (resource) => {
      const name = nameOf(resource, "Name");
      const suffix = createHash("sha256").update(name).digest("hex").slice(0, 6);
      return { ref: arnIn(resource.scope, "secretsmanager", `secret:${name}-${suffix}`), attributes: {} };
    },
  },
};

/** The secrets of the stack. A value is generated once and kept with the data. */
export const readSecrets = (stack: StackReader, generated: GeneratedSecrets): SecretModel[] =>
  stack.resources(SECRET).map((resource) => {
    const { GenerateSecretString: recipe } = stack.properties(resource, plan);
    const { logicalId, arn } = resource;
    return { logicalId, arn, value: generated.secretFor(logicalId, () => generateSecret(recipe)) };
  });
