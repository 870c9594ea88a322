import * as z from "zod";
import { AwsError, type CallAws } from "./call-aws.ts";
import { queryOperations } from "./operation.ts";
import { xmlList } from "./xml-list.ts";

export const cloudFormation = queryOperations({ endpoint: "cloudformation", version: "2010-05-15" });

export const describeStacks = cloudFormation(
  "DescribeStacks",
  z.object({ Stacks: xmlList("member", z.object({ StackStatus: z.string() })) }),
);

/** The state of a stack, such as `CREATE_COMPLETE`; undefined if there is no stack of that name. @throws AwsError */
export const stackStatusOf = async (call: CallAws, StackName: string): Promise<string | undefined> => {
  try {
    return (await call(describeStacks, { StackName })).Stacks[0]?.StackStatus;
  } catch (error) {
    if (error instanceof AwsError && error.message.includes("does not exist")) return undefined;
    throw error;
  }
};
