/** What the function of each route may do, and no more. A route without a decision here does not compile. */
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import type { RouteName } from "../../shared/api/routes.ts";
import type { Grant } from "./service-function.ts";
import type { Tables } from "./tables.ts";

/** The rights of a route's function, and the variables that tell it what they are for. */
type RouteAccess = { grants: readonly Grant[]; environment: Readonly<Record<string, string>> };

const onTable = (table: Table, ...actions: string[]): Grant => ({ actions, resources: [table.tableArn] });

const nothing: RouteAccess = { grants: [], environment: {} };

export const routeAccess = (tables: Tables) => {
  const plants = (action: string): RouteAccess => ({
    grants: [onTable(tables.plants, action)],
    environment: { PLANTS_TABLE_NAME: tables.plants.tableName },
  });
  return {
    createPlant: plants("dynamodb:PutItem"),
    listPlants: plants("dynamodb:Query"),
    deletePlant: plants("dynamodb:DeleteItem"),
    getOpenApiDocument: nothing,
  } satisfies Record<RouteName, RouteAccess>;
};
