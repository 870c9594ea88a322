/** What the commands of recovery ask CloudFormation. */
import * as z from "zod";
import type { CallAws } from "../aws/call-aws.ts";
import { cloudFormation } from "../aws/stack-status.ts";
import { xmlList } from "../aws/xml-list.ts";

const listStackResources = cloudFormation(
  "ListStackResources",
  z.object({
    StackResourceSummaries: xmlList(
      "member",
      z.object({
        LogicalResourceId: z.string(),
        PhysicalResourceId: z.string().optional(),
        ResourceType: z.string(),
        ResourceStatus: z.string(),
      }),
    ),
    NextToken: z.string().optional(),
  }),
);

export type StackResource = {
  LogicalResourceId: string;
  PhysicalResourceId?: string | undefined;
  ResourceType: string;
  ResourceStatus: string;
};

/** All resources of a stack, deleted ones included. @throws AwsError if there is no such stack */
export const resourcesOf = async (call: CallAws, StackName: string): Promise<StackResource[]> => {
  const resources: StackResource[] = [];
  let token: string | undefined;
  do {
    const input = token === undefined ? { StackName } : { StackName, NextToken: token };
    const page = await call(listStackResources, input);
    resources.push(...page.StackResourceSummaries);
    token = page.NextToken;
  } while (token !== undefined);
  return resources;
};

export const unprotectStack = cloudFormation("UpdateTerminationProtection", z.unknown());

export const deleteStack = cloudFormation("DeleteStack", z.unknown());
