import { createHash } from "node:crypto";
import * as z from "zod";
import type { BucketModel } from "../core/model.ts";
import { TemplateError } from "../core/template-error.ts";
import { PolicyDocument } from "../template/policy-document.ts";
import type { Resource, ResourceFamily, StackReader } from "../template/stack-reader.ts";
import { type Named, unnamed } from "../template/template.ts";

/** Rules for all objects of a bucket, without a prefix. A storage class makes no difference on one machine. */
const Rule = z.strictObject({
  Id: z.string().optional(),
  Status: z.literal("Enabled"),
  ExpirationInDays: z.int().min(1).optional(),
  Transitions: z.unknown().optional(),
  AbortIncompleteMultipartUpload: z.strictObject({ DaysAfterInitiation: z.int().min(1) }).optional(),
});

const bucketPlan = {
  supported: z.object({
    BucketName: z.string().optional(),
    LifecycleConfiguration: z.strictObject({ Rules: z.array(Rule).length(1) }).optional(),
  }),
  // Objects are as private and as readable as the other files of the data directory. Nothing here locks them.
  ignored: [
    "BucketEncryption",
    "ObjectLockConfiguration",
    "ObjectLockEnabled",
    "OwnershipControls",
    "PublicAccessBlockConfiguration",
    "Tags",
    "VersioningConfiguration",
  ],
};

const policyPlan = { supported: z.object({ Bucket: z.string(), PolicyDocument }) };

const readBucket = (stack: StackReader, resource: Resource): BucketModel => {
  const { LifecycleConfiguration } = stack.properties(resource, bucketPlan);
  const [rule] = LifecycleConfiguration?.Rules ?? [];
  const { ExpirationInDays: expirationDays, AbortIncompleteMultipartUpload: abort } = rule ?? {};
  return {
    logicalId: resource.logicalId,
    name: resource.ref,
    arn: resource.arn,
    ...(expirationDays !== undefined && { expirationDays }),
    ...(abort !== undefined && { abortUploadsAfterDays: abort.DaysAfterInitiation }),
  };
};

/** A name in place of the generated one: lower case, at most 63 characters. */
const bucketNameOf = ({ logicalId, scope, text }: Named): string => {
  const name = text("BucketName");
  if (name !== undefined) return name;
  const suffix = createHash("sha256").update(logicalId).digest("hex").slice(0, 8);
  const readable = `${scope.stackName}-${logicalId}`.toLowerCase().replace(/[^a-z0-9-]/g, "-");
  return `${readable.slice(0, 54)}-${suffix}`;
};

/** AWS::S3: buckets without versions, and their policies. */
export const buckets: ResourceFamily = {
  identities: {
    "AWS::S3::Bucket": (resource) => {
      const name = bucketNameOf(resource);
      return { ref: name, attributes: { Arn: `arn:aws:s3:::${name}` } };
    },
    "AWS::S3::BucketPolicy": unnamed,
  },
  read: (stack) => {
    const found = stack.resources("AWS::S3::Bucket").map((resource) => readBucket(stack, resource));
    const policies = stack.resources("AWS::S3::BucketPolicy").map((resource) => {
      const { Bucket, PolicyDocument: statements } = stack.properties(resource, policyPlan);
      const bucket = found.find(({ name }) => name === Bucket);
      if (bucket === undefined)
        throw new TemplateError(resource.logicalId, `the template declares no bucket ${Bucket}`);
      return [bucket.arn, statements] as const;
    });
    return { buckets: found, resourcePolicies: Object.fromEntries(policies) };
  },
};
