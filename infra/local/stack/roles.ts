import * as z from "zod";
import { PolicyDocument } from "../template/policy-document.ts";
import type { ResourceFamily } from "../template/stack-reader.ts";
import { nameOf, unnamed } from "../template/template.ts";

/** The managed policy that the CDK gives to a function without an explicit role. It allows writing logs only. */
const BASIC_EXECUTION = "arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole";

/** That of AWS Backup's own role. No backup is made here. */
const BACKUP = "arn:aws:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup";

const rolePlan = {
  supported: z.object({
    RoleName: z.string().optional(),
    ManagedPolicyArns: z.array(z.literal([BASIC_EXECUTION, BACKUP])).optional(),
    Policies: z.array(z.strictObject({ PolicyName: z.string(), PolicyDocument })).default([]),
    AssumeRolePolicyDocument: PolicyDocument,
  }),
  ignored: ["Description", "Tags"],
};

const policyPlan = {
  supported: z.object({ PolicyDocument, Roles: z.array(z.string()) }),
  ignored: ["PolicyName"],
};

/** AWS::IAM::Role with its trust policy, its own policies, and those that AWS::IAM::Policy attaches to it. */
export const roles: ResourceFamily = {
  identities: {
    "AWS::IAM::Role": (resource) => {
      const name = nameOf(resource, "RoleName");
      return { ref: name, attributes: { Arn: `arn:aws:iam::${resource.scope.accountId}:role/${name}` } };
    },
    "AWS::IAM::Policy": unnamed,
  },
  read: (stack) => {
    const policies = stack.resources("AWS::IAM::Policy").map((resource) => stack.properties(resource, policyPlan));
    return {
      roles: stack.resources("AWS::IAM::Role").map((resource) => {
        const { Policies: own, AssumeRolePolicyDocument: trust } = stack.properties(resource, rolePlan);
        const { logicalId, arn, ref } = resource;
        const attached = policies.filter(({ Roles }) => Roles.includes(ref));
        return {
          logicalId,
          arn,
          statements: [...own, ...attached].flatMap(({ PolicyDocument: document }) => document),
          trust,
        };
      }),
    };
  },
};
