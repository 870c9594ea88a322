import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import type { Route } from "../../shared/api/route.ts";
import { allRoutes, type RouteName } from "../../shared/api/routes.ts";
import type { DeploymentConfig } from "../config.ts";
import type { CursorKey } from "./cursor-key.ts";
import { routeAccess } from "./route-grants.ts";
import { ServiceFunction } from "./service-function.ts";
import type { Tables } from "./tables.ts";

type Props = { config: DeploymentConfig; tables: Tables; cursorKey: CursorKey };

const toFileName = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const toConstructId = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** What shared/http/wiring.ts reads for a route. */
const httpEnvironment = (route: Route, { config, cursorKey }: Props): Record<string, string> => ({
  ...(route.permission !== "public" && {
    ISSUER: config.issuer,
    AUDIENCE: config.audience,
    ORGANIZATION_CLAIM: config.organizationClaim,
    ROLE_CLAIM: config.roleClaim,
  }),
  ...(route.paging !== undefined && { CURSOR_KEY: cursorKey.reference }),
});

/** One function per route of the table, and one for whatever no route takes. */
export class RouteFunctions extends Construct {
  readonly byRoute: ReadonlyMap<RouteName, LambdaFunction>;
  readonly unknownRoute: LambdaFunction;

  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id);
    const access = routeAccess(props.tables);
    this.byRoute = new Map(
      allRoutes.map(([name, route]) => {
        const { grants, environment } = access[name];
        const made = new ServiceFunction(this, toConstructId(name), {
          file: toFileName(name),
          description: `${route.method} ${route.path}`,
          environment: { ...httpEnvironment(route, props), ...environment },
          grants,
        });
        return [name, made.function];
      }),
    );
    this.unknownRoute = new ServiceFunction(this, "AnswerUnknownRoute", {
      file: "answer-unknown-route",
      description: "Answers what no route takes",
      environment: {},
      grants: [],
    }).function;
  }
}
