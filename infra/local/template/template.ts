import * as z from "zod";

const Properties = z.record(z.string(), z.unknown());

/** A CloudFormation template as far as the local cloud reads it; intrinsic functions still stand in the properties. */
export const Template = z.object({
  Parameters: z.record(z.string(), z.object({ Type: z.string(), Default: z.unknown().optional() })).default({}),
  Conditions: z.record(z.string(), z.unknown()).default({}),
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Condition: z.string().optional(), Properties: Properties.default({}) }),
  ),
});

export type Template = z.infer<typeof Template>;

/** What a deployment would know about its surroundings: the pseudo parameters of CloudFormation. */
export type Scope = {
  stackName: string;
  accountId: string;
  region: string;
  /** The base URL at which the HTTP API answers here, where a template asks for it. */
  apiUrl?: string;
  /** Where function URLs answer here, by the logical id of each; without a trailing slash. */
  functionUrls?: ReadonlyMap<string, string>;
  /** The base URL at which calls of the SDKs are answered here; queues have theirs below it. */
  gatewayUrl?: string;
};

/** The ARN of a resource of this scope: `arn:aws:{service}:{region}:{account}:{resource}`. */
export const arnIn = (scope: Scope, service: string, resource: string): string =>
  `arn:aws:${service}:${scope.region}:${scope.accountId}:${resource}`;

/** The values of `AWS::…` references; AWS::NoValue is not a value and is left to the resolver. */
export const pseudoParameters = (scope: Scope): Record<string, string> => ({
  "AWS::AccountId": scope.accountId,
  "AWS::Partition": "aws",
  "AWS::Region": scope.region,
  "AWS::StackName": scope.stackName,
  "AWS::StackId": arnIn(scope, "cloudformation", `stack/${scope.stackName}/local`),
  "AWS::URLSuffix": "amazonaws.com",
});
