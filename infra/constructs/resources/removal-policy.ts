import { RemovalPolicy } from "aws-cdk-lib";
import type { DeploymentConfig } from "./deployment-config.ts";

/**
 * What happens to a resource with data when it leaves the stack or is replaced. In a protected stage it is kept, except
 * if its first creation fails: then a retry would meet its remains.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-attribute-deletionpolicy.html
 */
export const removalPolicyOf = ({ isProtected }: Pick<DeploymentConfig, "isProtected">): RemovalPolicy =>
  isProtected ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
