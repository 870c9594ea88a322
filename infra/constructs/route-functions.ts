import { Duration } from "aws-cdk-lib";
import type { EventBus } from "aws-cdk-lib/aws-events";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { allPageRoutes, type PageRouteName, pageRoutesOf } from "../../shared/api/page-routes.ts";
import { allRoutes, type RouteName } from "../../shared/api/routes.ts";
import { needsOrganization } from "../../shared/terms/permissions.ts";
import type { AccessTo } from "./grants.ts";
import { requireAccess, toFileName } from "./require-complete.ts";
import { type Access, NO_ACCESS, together, variables } from "./resources/access.ts";
import type { DeploymentConfig } from "./resources/deployment-config.ts";
import { type FunctionProps, ServiceFunction } from "./service-function.ts";
import { groupIn, type SubjectStacks, toConstructId } from "./subject-stacks.ts";

type Props = {
  stacks: SubjectStacks;
  config: DeploymentConfig;
  access: AccessTo;
  bus: EventBus;
  /** The variables of functions that show the address of webhooks. */
  webhooks: Access["environment"];
  /** All addresses of webhooks. */
  webhookUrls: readonly string[];
};

type Route = (typeof allRoutes)[number][1];

/** They call the provider, each time with the full time limit of a call. The gateway waits 30 s. */
const CONNECTING_TIMEOUT = Duration.seconds(29);
const CALLING_PROVIDER = ["connectProvider", "disconnectProvider", "updateWebhookEndpoint"];

/** Routes that answer with the connection, and thus with the address of webhooks. */
const SHOWING_CONNECTION = [
  "getConnection",
  "connectProvider",
  "changeWebhookSecrets",
  "disconnectProvider",
  "updateWebhookEndpoint",
];

/** Routes that check where notifications may be sent: not to the service itself. */
const CHECKING_TARGETS = ["createDestination", "changeDestination"];

/** The variables that shared/http/client-address.ts needs behind a CDN. */
const cdnVariables = ({ clientAddressHeader, originSecretHeader, originSecretHashes }: DeploymentConfig): Access =>
  clientAddressHeader === undefined || originSecretHashes === undefined
    ? NO_ACCESS
    : variables({
        CLIENT_ADDRESS_HEADER: clientAddressHeader,
        ORIGIN_SECRET_HEADER: originSecretHeader,
        ORIGIN_SECRET_HASHES: originSecretHashes,
      });

/** What the pages show and need to sign in. They read no table. */
const pageAccess = (name: PageRouteName, config: DeploymentConfig): Access => {
  const { issuer, audience, consoleClientId, consoleScope, consoleAudience } = config;
  const environment: Partial<Record<PageRouteName, Access["environment"]>> = {
    getDocs: { ISSUER: issuer, AUDIENCE: audience },
    getConsole: {
      ISSUER: issuer,
      CONSOLE_SCOPE: consoleScope,
      ...(consoleClientId !== undefined && { CONSOLE_CLIENT_ID: consoleClientId }),
      ...(consoleAudience !== undefined && { CONSOLE_AUDIENCE: consoleAudience }),
    },
  };
  return together(cdnVariables(config), variables(environment[name] ?? {}));
};

/** The access that shared/wiring/http.ts needs for a route. */
const httpAccess = (route: Route, { config, access }: Props): Access => {
  const authentication: Access = {
    grants: [],
    environment: {
      ISSUER: config.issuer,
      AUDIENCE: config.audience,
      ORGANIZATION_CLAIM: config.organizationClaim,
      ROLE_CLAIM: config.roleClaim,
      ...(config.roleMapping !== undefined && { ROLE_MAPPING: JSON.stringify(config.roleMapping) }),
    },
  };
  return together(
    cdnVariables(config),
    ...(route.permission === "public" || route.permission === "link" ? [] : [authentication]),
    ...(route.permission === "public" ? [] : [access.recordRefusals]),
    ...(route.permission !== "public" && needsOrganization(route.permission) ? [access.readSettings] : []),
    ...(route.paging === undefined ? [] : [access.seal]),
    ...(route.isIdempotent ? [access.takeIdempotencyKeys] : []),
  );
};

export type RouteFunctions = {
  byRoute: ReadonlyMap<RouteName | PageRouteName, LambdaFunction>;
  unknownRoute: LambdaFunction;
};

/** Adds one function per route and page of the tables, and one for requests that match none. */
export const addRouteFunctions = (props: Props): RouteFunctions => {
  const names = [...allRoutes, ...allPageRoutes].map(([name]) => name);
  const ownAccess = requireAccess(names, props.access);
  const { stacks, config, webhooks, webhookUrls, bus } = props;
  const add = (file: string, more: Pick<FunctionProps, "description" | "access" | "timeout">): LambdaFunction =>
    new ServiceFunction(groupIn(stacks.of(file), "Functions"), toConstructId(file), { file, bus, config, ...more })
      .function;
  const addFunction = (
    name: RouteName | PageRouteName,
    { method, path }: Pick<Route, "method" | "path">,
    access: Access,
  ) =>
    [
      name,
      add(toFileName(name), {
        description: `${method} ${path}`,
        access: together(
          access,
          ownAccess[name],
          variables(SHOWING_CONNECTION.includes(name) ? webhooks : {}),
          variables(CHECKING_TARGETS.includes(name) ? { WEBHOOK_URLS: webhookUrls.join(",") } : {}),
        ),
        ...(CALLING_PROVIDER.includes(name) && { timeout: CONNECTING_TIMEOUT }),
      }),
    ] as const;
  return {
    byRoute: new Map([
      ...allRoutes.map(([name, route]) => addFunction(name, route, httpAccess(route, props))),
      ...pageRoutesOf(config).map(([name, route]) => addFunction(name, route, pageAccess(name, config))),
    ]),
    unknownRoute: add("answer-unknown-route", {
      description: "Answers requests that match no route",
      access: variables({
        ...(config.allowedOrigins.length > 0 && { ANSWERS_PREFLIGHTS: "true" }),
        ...(config.apiDocs && { API_DOCS: "true" }),
      }),
    }),
  };
};
