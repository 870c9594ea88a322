import { createHash } from "node:crypto";
import * as z from "zod";
import type { KeyModel, PolicyStatement } from "../core/model.ts";
import { type Identify, nameOf } from "../template/identity.ts";
import { PolicyDocument } from "../template/policy-document.ts";
import type { Resource, ResourceFamily, StackReader } from "../template/stack-reader.ts";
import { arnIn, type Scope } from "../template/template.ts";
import { flag } from "../template/values.ts";

const plan = {
  understood: z.object({
    KeyPolicy: PolicyDocument.optional(),
    Enabled: flag.default(true),
    KeySpec: z.string().default("SYMMETRIC_DEFAULT"),
    KeyUsage: z.string().default("ENCRYPT_DECRYPT"),
    Origin: z.string().default("AWS_KMS"),
  }),
  // A rotated key still decrypts all that it ever encrypted, so that rotation shows nowhere.
  nothingLocally: [
    "BypassPolicyLockoutSafetyCheck",
    "Description",
    "EnableKeyRotation",
    "PendingWindowInDays",
    "RotationPeriodInDays",
    "Tags",
  ],
  notApplied: { MultiRegion: "it is a key of one region" },
};

const aliasPlan = { understood: z.object({ AliasName: z.string(), TargetKeyId: z.string() }) };

/** An id as KMS makes them; the same for the same key at each start. */
const identifyKey: Identify = ({ logicalId, scope }) => {
  const hash = createHash("sha256").update(`${scope.stackName}/${logicalId}`).digest("hex");
  const id = hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
  return { ref: id, attributes: { KeyId: id, Arn: arnIn(scope, "kms", `key/${id}`) } };
};

/**
 * What KMS gives a key without a policy: the account's own policies decide.
 * https://docs.aws.amazon.com/kms/latest/developerguide/key-policy-default.html
 */
const defaultPolicy = ({ accountId }: Scope): PolicyStatement[] => [
  { Effect: "Allow", Principal: { AWS: `arn:aws:iam::${accountId}:root` }, Action: "kms:*", Resource: "*" },
];

type Read = KeyModel & { policy: PolicyStatement[] };

const readKey = (stack: StackReader, resource: Resource): Read[] => {
  const { KeyPolicy, Enabled, KeySpec, KeyUsage, Origin } = stack.properties(resource, plan);
  if (KeySpec !== "SYMMETRIC_DEFAULT" || KeyUsage !== "ENCRYPT_DECRYPT" || Origin !== "AWS_KMS") {
    stack.notRun(resource, "calls to it are denied: only symmetric keys that KMS makes itself are run");
    return [];
  }
  const { logicalId, ref: id, arn } = resource;
  return [{ logicalId, id, arn, isEnabled: Enabled, aliases: [], policy: KeyPolicy ?? defaultPolicy(stack.scope) }];
};

/** AWS::KMS::Key and AWS::KMS::Alias. Its material is made once, and kept beside the tables. */
export const keys: ResourceFamily = {
  identities: {
    "AWS::KMS::Key": identifyKey,
    "AWS::KMS::Alias": (resource) => ({ ref: nameOf(resource, "AliasName"), attributes: {} }),
  },
  read: (stack) => {
    const found = stack.resources("AWS::KMS::Key").flatMap((resource) => readKey(stack, resource));
    for (const resource of stack.resources("AWS::KMS::Alias")) {
      const { AliasName, TargetKeyId } = stack.properties(resource, aliasPlan);
      const target = found.find(({ id, arn }) => TargetKeyId === id || TargetKeyId === arn);
      if (target === undefined) stack.notRun(resource, `calls to it are denied: its key ${TargetKeyId} is not run`);
      else target.aliases.push(AliasName);
    }
    return {
      keys: found.map(({ policy: _policy, ...key }) => key),
      resourcePolicies: Object.fromEntries(found.map(({ arn, policy }) => [arn, policy])),
    };
  },
};
