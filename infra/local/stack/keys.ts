import { createHash } from "node:crypto";
import * as z from "zod";
import { PolicyDocument } from "../template/policy-document.ts";
import type { ResourceFamily } from "../template/stack-reader.ts";
import { arnIn } from "../template/template.ts";

const plan = {
  supported: z.object({ KeyPolicy: PolicyDocument }),
  // A rotated key still decrypts everything that it ever encrypted, and there is one region: neither changes anything here.
  ignored: ["Description", "EnableKeyRotation", "MultiRegion", "Tags"],
};

/** AWS::KMS::Key for symmetric encryption. Its material is made once and kept with the data. */
export const keys: ResourceFamily = {
  identities: {
    // An id in the form that KMS uses, the same at each start.
    "AWS::KMS::Key": ({ logicalId, scope }) => {
      const hash = createHash("sha256").update(`${scope.stackName}/${logicalId}`).digest("hex");
      const id = hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
      return { ref: id, attributes: { Arn: arnIn(scope, "kms", `key/${id}`) } };
    },
  },
  read: (stack) => {
    const found = stack.resources("AWS::KMS::Key").map((resource) => {
      const { KeyPolicy } = stack.properties(resource, plan);
      return { key: { logicalId: resource.logicalId, id: resource.ref, arn: resource.arn }, policy: KeyPolicy };
    });
    return {
      keys: found.map(({ key }) => key),
      resourcePolicies: Object.fromEntries(found.map(({ key, policy }) => [key.arn, policy])),
    };
  },
};
