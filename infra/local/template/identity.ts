import type { Scope } from "./template.ts";

/** What other resources can ask of a resource: `ref` answers Ref, `attributes` answer Fn::GetAtt by name. */
export type Identity = { ref?: string; attributes: Record<string, string> };

/** What is known of a resource when its identity is asked for; `text` resolves one property, if it is a string. */
export type Named = { logicalId: string; scope: Scope; text(property: string): string | undefined };

export type Identify = (resource: Named) => Identity;

/** The name in the property, or the one that stands in for the name that CloudFormation would generate. */
export const nameOf = ({ logicalId, scope, text }: Named, property: string): string =>
  text(property) ?? `${scope.stackName}-${logicalId}`;

/** For what no other resource can refer to. */
export const unnamed: Identify = () => ({ attributes: {} });
