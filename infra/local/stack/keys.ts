import { createHash } from "node:crypto";
import * as z from "zod";
import { PolicyDocument } from "../template/policy-document.ts";
import type { ResourceFamily } from "../template/stack-reader.ts";
import { arnIn } from "../template/template.ts";

const plan = {
  supported: z.object({
    KeyPolicy: PolicyDocument,
    KeySpec: z.enum(["SYMMETRIC_DEFAULT", "ECC_NIST_EDWARDS25519"]).default("SYMMETRIC_DEFAULT"),
    KeyUsage: z.enum(["ENCRYPT_DECRYPT", "SIGN_VERIFY"]).optional(),
  }),
  // A rotated key still decrypts everything that it ever encrypted, and there is one region: neither changes anything here.
  ignored: ["Description", "EnableKeyRotation", "MultiRegion", "Tags"],
};

/** AWS::KMS::Key for symmetric encryption and for Ed25519 signatures. Its material is made once and kept with the data. */
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
      const { KeyPolicy, KeySpec: spec } = stack.properties(resource, plan);
      return { key: { logicalId: resource.logicalId, id: resource.ref, arn: resource.arn, spec }, policy: KeyPolicy };
    });
    return {
      keys: found.map(({ key }) => key),
      resourcePolicies: Object.fromEntries(found.map(({ key, policy }) => [key.arn, policy])),
    };
  },
};
