import { CfnResource, type Stack } from "aws-cdk-lib";

/**
 * The most resources that CloudFormation accepts in a stack:
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
 */
const MAX_RESOURCES = 500;

/**
 * Makes the synthesis fail if the stack has more resources than CloudFormation accepts. It replaces the CDK's own check
 * (the context key below), which also prints a notice from 400 resources on; a test keeps a distance from the limit.
 * Call it before the stack has constructs.
 */
export const limitResources = (stack: Stack): void => {
  stack.node.setContext("@aws-cdk/core:stackResourceLimit", 0);
  stack.node.addValidation({
    validate: () => {
      const count = stack.node.findAll().filter(CfnResource.isCfnResource).length;
      return count <= MAX_RESOURCES
        ? []
        : [`The stack has ${count} resources, and CloudFormation accepts ${MAX_RESOURCES}: docs/limits.md#the-stack`];
    },
  });
};
