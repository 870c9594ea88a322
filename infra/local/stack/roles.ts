import * as z from "zod";
import type { PolicyStatement } from "../core/model.ts";
import { TemplateError } from "../core/template-error.ts";
import { nameOf, unnamed } from "../template/identity.ts";
import { PolicyDocument } from "../template/policy-document.ts";
import type { Resource, ResourceFamily, StackReader } from "../template/stack-reader.ts";

const rolePlan = {
  understood: z.object({
    RoleName: z.string().optional(),
    Path: z.string().optional(),
    ManagedPolicyArns: z.array(z.string()).default([]),
    Policies: z.array(z.object({ PolicyName: z.string(), PolicyDocument })).default([]),
  }),
  nothingLocally: ["AssumeRolePolicyDocument", "Description", "MaxSessionDuration", "Tags"],
  notApplied: { PermissionsBoundary: "its permissions boundary is not applied: calls may be denied once deployed" },
};

const policyPlan = {
  understood: z.object({
    PolicyDocument,
    Roles: z.array(z.string()).default([]),
    RoleName: z.string().optional(),
  }),
  nothingLocally: ["Description", "Groups", "ManagedPolicyName", "Path", "PolicyName", "Users"],
};

/** Policies of AWS itself, by name. Any other stops the start: what it allows is not known here. */
const managedByAws: Record<string, PolicyStatement[]> = {
  "service-role/AWSLambdaBasicExecutionRole": [
    { Effect: "Allow", Action: ["logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"], Resource: "*" },
  ],
};

type Attached = { arn: string; roleNames: string[]; statements: PolicyStatement[] };

const readPolicy = (stack: StackReader, resource: Resource): Attached => {
  const { PolicyDocument: statements, Roles, RoleName } = stack.properties(resource, policyPlan);
  return { arn: resource.ref, roleNames: [...Roles, ...(RoleName === undefined ? [] : [RoleName])], statements };
};

const managedStatements = (resource: Resource, arn: string, policies: readonly Attached[]): PolicyStatement[] => {
  const own = policies.find((policy) => policy.arn === arn)?.statements;
  const known = own ?? managedByAws[arn.replace("arn:aws:iam::aws:policy/", "")];
  if (known === undefined) throw new TemplateError(resource.logicalId, `the managed policy ${arn} is not known here`);
  return known;
};

const iamArn = (accountId: string, kind: string, path = "/", name: string): string =>
  `arn:aws:iam::${accountId}:${kind}${path}${name}`;

/** AWS::IAM::Role with the policies inside it, attached to it, and named by it. */
export const roles: ResourceFamily = {
  identities: {
    "AWS::IAM::Role": (resource) => {
      const name = nameOf(resource, "RoleName");
      const arn = iamArn(resource.scope.accountId, "role", resource.text("Path"), name);
      return { ref: name, attributes: { Arn: arn } };
    },
    "AWS::IAM::ManagedPolicy": (resource) => {
      const name = nameOf(resource, "ManagedPolicyName");
      const arn = iamArn(resource.scope.accountId, "policy", resource.text("Path"), name);
      return { ref: arn, attributes: { PolicyArn: arn } };
    },
    "AWS::IAM::Policy": unnamed,
    "AWS::IAM::RolePolicy": unnamed,
  },
  read: (stack) => {
    const policies = ["AWS::IAM::Policy", "AWS::IAM::RolePolicy", "AWS::IAM::ManagedPolicy"]
      .flatMap((type) => stack.resources(type))
      .map((resource) => readPolicy(stack, resource));
    return {
      roles: stack.resources("AWS::IAM::Role").map((resource) => {
        const { ManagedPolicyArns, Policies } = stack.properties(resource, rolePlan);
        return {
          logicalId: resource.logicalId,
          arn: resource.arn,
          statements: [
            ...Policies.flatMap(({ PolicyDocument: statements }) => statements),
            ...policies
              .filter(({ roleNames }) => roleNames.includes(resource.ref))
              .flatMap(({ statements }) => statements),
            ...ManagedPolicyArns.flatMap((arn) => managedStatements(resource, arn, policies)),
          ],
        };
      }),
    };
  },
};
