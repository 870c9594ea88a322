import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { createOpenApiDocument } from "../../shared/api/open-api-document.ts";
import { allRoutes, routes } from "../../shared/api/routes.ts";

const document = createOpenApiDocument(routes);
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ $id: "api", ...document });

const pointer = (...parts: (string | number)[]) =>
  `api#/${parts.map((part) => encodeURIComponent(String(part).replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`;

const routeOf = (method: string, pathname: string) =>
  allRoutes.find(([, route]) => {
    const pattern = route.path.replace(/\{[^}]+\}/g, "[^/]+").replaceAll(".", "\\.");
    return route.method === method && new RegExp(`^${pattern}$`).test(pathname);
  })?.[1];

/** The schema of an answer; the Error body where no route took the request; undefined where there is no body. */
const schemaOf = (method: string, pathname: string, status: number): string | undefined => {
  const route = routeOf(method, pathname);
  if (route === undefined) return pointer("components", "schemas", "Error");
  const operation = document.paths?.[route.path]?.[method.toLowerCase() as "get"];
  const response = operation?.responses?.[String(status) as "200"];
  if (response === undefined) throw new Error(`${method} ${route.path} answered ${status}, which is not documented`);
  if (!("content" in response)) return undefined;
  return pointer(
    "paths",
    route.path,
    method.toLowerCase(),
    "responses",
    status,
    "content",
    "application/json",
    "schema",
  );
};

/** @throws Error where an answer is not one that the OpenAPI document describes. */
export const requireContract = (method: string, pathname: string, response: Response, body: unknown): void => {
  const schema = schemaOf(method, pathname, response.status);
  if (schema === undefined && body === undefined) return;
  // By its name, so that each schema is compiled once.
  const validate = schema === undefined ? undefined : ajv.getSchema(schema);
  if (validate?.(body)) return;
  const problem = validate === undefined ? "there should be none" : ajv.errorsText(validate.errors);
  throw new Error(`${method} ${pathname} answered ${response.status} with another body: ${problem}`);
};
