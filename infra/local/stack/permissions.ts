import * as z from "zod";
import type { PolicyStatement } from "../core/model.ts";
import { unnamed } from "../template/identity.ts";
import type { Resource, ResourceFamily, StackReader } from "../template/stack-reader.ts";
import { arnIn } from "../template/template.ts";
import { text } from "../template/values.ts";

const PermissionProperties = z.object({
  Action: z.string(),
  FunctionName: z.string(),
  Principal: z.string(),
  SourceArn: z.string().optional(),
  SourceAccount: z.string().optional(),
  FunctionUrlAuthType: z.string().optional(),
  InvokedViaFunctionUrl: text.optional(),
});

/** Lambda writes the same statement into the function's policy: services are principals by host name, the rest by ARN. */
const readPermission = (stack: StackReader, resource: Resource): [string, PolicyStatement] => {
  const permission = stack.properties(resource, { understood: PermissionProperties });
  const { FunctionName: name, Principal: principal } = permission;
  const functionArn = name.startsWith("arn:") ? name : arnIn(stack.scope, "lambda", `function:${name}`);
  const { SourceArn, SourceAccount, FunctionUrlAuthType, InvokedViaFunctionUrl } = permission;
  const condition = {
    ...(SourceArn !== undefined && { ArnLike: { "aws:SourceArn": SourceArn } }),
    ...((SourceAccount ?? FunctionUrlAuthType) !== undefined && {
      StringEquals: {
        ...(SourceAccount !== undefined && { "aws:SourceAccount": SourceAccount }),
        ...(FunctionUrlAuthType !== undefined && { "lambda:FunctionUrlAuthType": FunctionUrlAuthType }),
      },
    }),
    ...(InvokedViaFunctionUrl !== undefined && { Bool: { "lambda:InvokedViaFunctionUrl": InvokedViaFunctionUrl } }),
  };
  const statement: PolicyStatement = {
    Sid: resource.logicalId,
    Effect: "Allow",
    Principal: principal === "*" ? "*" : { [principal.endsWith(".amazonaws.com") ? "Service" : "AWS"]: principal },
    Action: permission.Action,
    Resource: functionArn,
    Condition: condition,
  };
  return [functionArn, statement];
};

/** AWS::Lambda::Permission: who may call a function, judged at every call that a service makes. */
export const permissions: ResourceFamily = {
  identities: { "AWS::Lambda::Permission": unnamed },
  read: (stack) => {
    const resourcePolicies: Record<string, PolicyStatement[]> = {};
    for (const resource of stack.resources("AWS::Lambda::Permission")) {
      const [functionArn, statement] = readPermission(stack, resource);
      resourcePolicies[functionArn] = [...(resourcePolicies[functionArn] ?? []), statement];
    }
    return { resourcePolicies };
  },
};
