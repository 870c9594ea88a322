import { CfnResource, Stack } from "aws-cdk-lib";

/**
 * The most resources that CloudFormation accepts in a stack:
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
 */
const MAX_RESOURCES = 500;

/**
 * Makes the synthesis fail if a stack, or one that is nested in it, has more resources than CloudFormation accepts. It
 * replaces the CDK's own check (the context key below), which also prints a notice from 400 resources on; a test keeps a
 * distance from the limit. Call it before the stack has constructs.
 */
export const limitResources = (stack: Stack): void => {
  stack.node.setContext("@aws-cdk/core:stackResourceLimit", 0);
  stack.node.addValidation({
    validate: () =>
      [...Map.groupBy(stack.node.findAll().filter(CfnResource.isCfnResource), (resource) => Stack.of(resource))]
        .filter(([, { length }]) => length > MAX_RESOURCES)
        .map(
          ([{ node }, { length }]) =>
            `The stack ${node.id} has ${length} resources, and CloudFormation accepts ${MAX_RESOURCES}: docs/limits.md#the-stack`,
        ),
  });
};
