import type { Stack } from "aws-cdk-lib";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import { functionDirectory } from "./function-directory.ts";

/** A condition in the CDK's format. */
export type Conditions = Record<string, Record<string, string | string[]>>;

/** Adds a function whose role has exactly these rights. @returns its role */
export const addFunctionWith = (
  stack: Stack,
  name: string,
  rights: { actions: string[]; resources: string[]; conditions?: Conditions }[],
): Role => {
  const role = new Role(stack, `${name}Role`, { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
  for (const right of rights) role.addToPolicy(new PolicyStatement(right));
  new LambdaFunction(stack, name, {
    functionName: name,
    runtime: Runtime.NODEJS_24_X,
    handler: "index.handler",
    code: Code.fromAsset(functionDirectory("export const handler = async () => null;")),
    role,
  });
  return role;
};
