import type { PolicyStatement } from "../core/model.ts";
import { type ConditionContext, conditionHolds } from "./conditions.ts";
import { matchesArn, matchesWildcard } from "./wildcard.ts";

/** One call as a policy sees it. `principals` are the names by which the policy of a resource may name the caller. */
export type AccessRequest = {
  action: string;
  resource: string;
  context: ConditionContext;
  principals: readonly PrincipalName[];
};

/** As in a policy: `{ type: "Service", name: "events.amazonaws.com" }`, `{ type: "AWS", name: "arn:…:role/…" }`. */
export type PrincipalName = { type: string; name: string };

/** `none`: no statement applies to the request. */
export type Decision = "allow" | "deny" | "none";

const anyAction = (patterns: string | string[], action: string): boolean =>
  [patterns].flat().some((pattern) => matchesWildcard(pattern.toLowerCase(), action.toLowerCase()));

const anyResource = (patterns: string | string[], resource: string): boolean =>
  [patterns].flat().some((pattern) => matchesArn(pattern, resource));

const meansPrincipal = (principal: PolicyStatement["Principal"], request: AccessRequest): boolean => {
  if (principal === undefined || principal === "*") return true;
  return Object.entries(principal).some(([type, names]) =>
    [names]
      .flat()
      .some((name) =>
        request.principals.some((caller) => caller.type === type && (name === "*" || name === caller.name)),
      ),
  );
};

/** A statement without a Resource belongs to the policy of a resource and means that resource. */
const applies = (statement: PolicyStatement, request: AccessRequest): boolean => {
  const { Action, Resource, Condition = {}, Principal } = statement;
  return (
    meansPrincipal(Principal, request) &&
    anyAction(Action, request.action) &&
    (Resource === undefined || anyResource(Resource, request.resource)) &&
    // If IAM does not define the result, a Deny holds and an Allow does not.
    conditionHolds(Condition, request.context, statement.Effect === "Deny")
  );
};

/**
 * Evaluates the statements of one or more policies: a Deny outweighs every Allow.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */
export const evaluate = (statements: readonly PolicyStatement[], request: AccessRequest): Decision => {
  const applying = statements.filter((statement) => applies(statement, request));
  if (applying.some(({ Effect }) => Effect === "Deny")) return "deny";
  return applying.some(({ Effect }) => Effect === "Allow") ? "allow" : "none";
};
