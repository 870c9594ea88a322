import { createHash } from "node:crypto";
import * as z from "zod";
import { SecretRecipe } from "../template/generated-secrets.ts";
import { nameOf, unnamed } from "../template/identity.ts";
import { PolicyDocument } from "../template/policy-document.ts";
import type { ResourceFamily } from "../template/stack-reader.ts";
import { arnIn } from "../template/template.ts";

const plan = {
  understood: z.object({
    Name: z.string().optional(),
    GenerateSecretString: SecretRecipe.optional(),
    SecretString: z.string().optional(),
  }),
  nothingLocally: ["Description", "Tags", "KmsKeyId"],
  notApplied: { ReplicaRegions: "it has no replicas" },
};

const policyPlan = {
  understood: z.object({ SecretId: z.string(), ResourcePolicy: PolicyDocument }),
  nothingLocally: ["BlockPublicPolicy"],
};

/** AWS::SecretsManager::Secret: its value is generated once, and kept beside the tables. */
export const secrets: ResourceFamily = {
  identities: {
    "AWS::SecretsManager::Secret": (resource) => {
      const name = nameOf(resource, "Name");
      const suffix = createHash("sha256").update(name).digest("hex").slice(0, 6);
      const arn = arnIn(resource.scope, "secretsmanager", `secret:${name}-${suffix}`);
      return { ref: arn, attributes: { Id: arn, Name: name } };
    },
    "AWS::SecretsManager::ResourcePolicy": unnamed,
  },
  read: (stack) => ({
    secrets: stack.resources("AWS::SecretsManager::Secret").map((resource) => {
      stack.properties(resource, plan);
      const { logicalId, ref: arn, attributes } = resource;
      return { logicalId, name: attributes.Name ?? arn, arn, value: stack.secretValue(resource) };
    }),
    resourcePolicies: Object.fromEntries(
      stack.resources("AWS::SecretsManager::ResourcePolicy").map((resource) => {
        const { SecretId, ResourcePolicy } = stack.properties(resource, policyPlan);
        return [SecretId, ResourcePolicy];
      }),
    ),
  }),
};
