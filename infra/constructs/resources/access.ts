/** What functions may do, and the variables that tell them on what. A function has a list of these and no more. */
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import type { TableIndex } from "../../../shared/terms/indexes.ts";

/** One right: actions of one service on the resources named. */
export type Grant = {
  actions: readonly string[];
  resources: readonly string[];
  /** As in a policy's `Condition`. */
  conditions?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
};

export type Access = { grants: readonly Grant[]; environment: Readonly<Record<string, string>> };

export const NO_ACCESS: Access = { grants: [], environment: {} };

/** Variables alone. */
export const variables = (environment: Access["environment"]): Access => ({ grants: [], environment });

/** Several at once; the variables of the same name have the same value. */
export const together = (...parts: readonly Access[]): Access => ({
  grants: parts.flatMap(({ grants }) => grants),
  environment: Object.assign({}, ...parts.map(({ environment }) => environment)),
});

/** The ways at a table: actions on its items, and queries of its indexes; each names it in the variable. */
export const tableAccess = (variable: string, table: Table) => {
  const environment = { [variable]: table.tableName };
  return {
    may: (...actions: readonly string[]): Access => ({
      grants: [{ actions: actions.map((action) => `dynamodb:${action}`), resources: [table.tableArn] }],
      environment,
    }),
    query: (...indexes: readonly TableIndex[]): Access => ({
      grants: [
        { actions: ["dynamodb:Query"], resources: indexes.map(({ name }) => `${table.tableArn}/index/${name}`) },
      ],
      environment,
    }),
  };
};
