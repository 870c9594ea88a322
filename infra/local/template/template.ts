import * as z from "zod";

/** A CloudFormation template as far as the local cloud reads it; properties still contain intrinsic functions. */
export const Template = z.object({
  Resources: z.record(
    z.string(),
    z.object({
      Type: z.string(),
      Condition: z.string().optional(),
      Properties: z.record(z.string(), z.unknown()).default({}),
    }),
  ),
});

export type Template = z.infer<typeof Template>;

/** What a deployment would know about its surroundings. */
export type Scope = {
  stackName: string;
  accountId: string;
  region: string;
  /** Base URLs of HTTP APIs and function URLs by logical id, without a trailing slash. */
  urls?: ReadonlyMap<string, string>;
};

/** The ARN of a resource of this scope: `arn:aws:{service}:{region}:{account}:{resource}`. */
export const arnIn = (scope: Scope, service: string, resource: string): string =>
  `arn:aws:${service}:${scope.region}:${scope.accountId}:${resource}`;

/** The values of `AWS::…` references. */
export const pseudoParameters = (scope: Scope): Record<string, string> => ({
  "AWS::AccountId": scope.accountId,
  "AWS::Partition": "aws",
  "AWS::Region": scope.region,
  "AWS::StackName": scope.stackName,
  "AWS::URLSuffix": "amazonaws.com",
});

/** How other resources refer to a resource: `ref` is the value of Ref, `attributes` are those of Fn::GetAtt. */
export type Identity = { ref?: string; attributes: Record<string, string> };

/** A resource while its identity is made; `text` resolves a property, undefined unless it is a string. */
export type Named = { logicalId: string; scope: Scope; text(property: string): string | undefined };

export type Identify = (resource: Named) => Identity;

/** The name in the property, or a name in place of the one that CloudFormation would generate. */
export const nameOf = ({ logicalId, scope, text }: Named, property: string): string =>
  text(property) ?? `${scope.stackName}-${logicalId}`;

/** The identity of a resource that no other resource can refer to. */
export const unnamed: Identify = () => ({ attributes: {} });
