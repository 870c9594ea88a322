/** A statement of a policy in a template. */
export type Statement = {
  Action: string | string[];
  Resource: unknown;
  Condition?: { StringEquals: Record<string, string> };
};

type Policy = { PolicyDocument: { Statement: Statement[] }; Roles?: readonly { Ref: string }[] };
type Resources = Readonly<Record<string, { Type: string; Properties?: Record<string, unknown> }>>;

/** All statements of a role: its own, and those of policies that are attached to it. */
export const statementsOfRole = (resources: Resources, role: string): Statement[] => {
  const own = (resources[role]?.Properties?.Policies ?? []) as Policy[];
  const attached = Object.values(resources)
    .filter(({ Type }) => Type === "AWS::IAM::Policy")
    .map(({ Properties }) => Properties as Policy)
    .filter(({ Roles = [] }) => Roles.some(({ Ref }) => Ref === role));
  return [...own, ...attached].flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
};
