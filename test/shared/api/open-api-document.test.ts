import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { connectionRoutes } from "../../../shared/api/connection-routes.ts";
import { createOpenApiDocument } from "../../../shared/api/open-api-document.ts";
import { allPageRoutes } from "../../../shared/api/page-routes.ts";
import { recordRoutes } from "../../../shared/api/record-routes.ts";
import { allRoutes, routes } from "../../../shared/api/routes.ts";
import { settingsRoutes } from "../../../shared/api/settings-routes.ts";
import { syncRoutes } from "../../../shared/api/sync-routes.ts";
import type { Route } from "../../../shared/http/route.ts";
import { eventTypes } from "../../../shared/security/security-event.ts";
import { catalogueEntry, type ErrorName, errorNumbers } from "../../../shared/terms/error-catalogue.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const document = createOpenApiDocument(routes);
const operations = allRoutes.map(([name, route]) => {
  const operation = document.paths?.[route.path]?.[route.method.toLowerCase() as "get"];
  return { name, route, operation };
});

describe("the OpenAPI document", () => {
  it("passes Redocly's strictest rules", async () => {
    const config = await createConfig({ extends: ["recommended-strict"] });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  it("says defaults of properties that may be missing in words, which generated types would require otherwise", () => {
    const text = JSON.stringify(document.components?.schemas, (_key, value) =>
      JSON.isRawJSON(value) ? Number(value.rawJSON) : value,
    );
    const found: string[] = [];
    JSON.parse(text, (_key, value) => {
      for (const [name, property] of Object.entries<{ default?: unknown }>(value?.properties ?? {}))
        if (property.default !== undefined && !(value.required ?? []).includes(name)) found.push(name);
      return value;
    });
    expect(found).toEqual([]);
    expect(document.components?.schemas?.QuietHours).toMatchObject({
      properties: { exceptCritical: { description: expect.stringMatching(/ Default: `true`\.$/) } },
    });
  });

  it("is of version 1.0.0 and OpenAPI 3.1", () => {
    expect(document).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./), info: { version: "1.0.0" } });
  });

  it.each(operations)("describes $name, its permission and its failures", ({ name, route, operation }) => {
    expect(operation?.operationId).toBe(name);
    expect(operation?.security).toEqual(["public", "link"].includes(route.permission) ? [] : [{ bearer: [] }]);
    const statuses = Object.keys(operation?.responses ?? {});
    expect(statuses).toContain(String(route.success.status));
    for (const failure of route.failures) expect(statuses).toContain(String(catalogueEntry(failure).status));
  });

  it.each([
    ["/{organizationId}", "receiveWebhook"],
    ["/-/platform", "receivePlatformWebhook"],
  ])("has the webhook URL %s, which has another server and requires no token", (path, operationId) => {
    const operation = document.paths?.[path]?.post;
    expect(operation).toMatchObject({
      operationId,
      security: [],
      servers: [{ url: "{webhookUrl}", variables: { webhookUrl: { default: expect.stringMatching(/^https:/) } } }],
    });
    expect(Object.keys(operation?.responses ?? {}).sort()).toEqual(["200", "400", "413", "500", "503"]);
    const others = operations.map((one) => one.operation).filter((one) => one?.servers !== undefined);
    expect(others).toEqual([]);
  });

  it("has every error number of the catalogue once, in the range of its status", () => {
    const entries = (Object.keys(errorNumbers) as ErrorName[]).map(catalogueEntry);
    expect(new Set(entries.map(({ number }) => number)).size).toBe(entries.length);
    for (const { number, status } of entries) {
      expect(Math.floor(number / 100)).toBe(status);
      expect(document.info.description).toContain(`| ${number} | ${status} |`);
    }
  });

  it("lists every event type with its sentence, and so does the page on security events", () => {
    const { EventType, SecurityEvent } = document.components?.schemas ?? {};
    expect(EventType).toMatchObject({
      type: "string",
      enum: Object.keys(eventTypes),
      "x-enum-descriptions": Object.values(eventTypes),
    });
    const page = readFileSync(join(root, "docs", "security-events.md"), "utf8");
    for (const [type, sentence] of Object.entries(eventTypes)) {
      expect(EventType).toHaveProperty("description", expect.stringContaining(`- \`${type}\`: ${sentence}`));
      expect(sentence).toMatch(/^[A-Z].*[^.]\.$/);
      expect(page).toContain(`| \`${type}\` | ${sentence} |`);
    }
    expect(SecurityEvent).toMatchObject({ properties: { eventType: { $ref: "#/components/schemas/EventType" } } });
    const { parameters = [] } = document.paths?.[routes.listSecurityEvents.path]?.get ?? {};
    expect(parameters).toContainEqual(
      expect.objectContaining({
        name: "eventType",
        schema: expect.objectContaining({ $ref: "#/components/schemas/EventType" }),
      }),
    );
  });

  it("ties the answer of an alert's action to the action", () => {
    const { AlertAction, AlertActionResult, ...schemas } = document.components?.schemas ?? {};
    const actionsOf = (schema: unknown) => (schema as { discriminator: { mapping: object } }).discriminator.mapping;
    expect(Object.keys(actionsOf(AlertActionResult))).toEqual(Object.keys(actionsOf(AlertAction)));
    for (const [action, ref] of Object.entries(actionsOf(AlertActionResult)))
      expect(schemas[ref.split("/").at(-1)]).toMatchObject({
        required: expect.arrayContaining(["action"]),
        properties: { action: { const: action } },
      });
  });

  it.each(operations)("describes the headers of $name", ({ route, operation }) => {
    const hasOwnLimit = route.failures.some((name) => catalogueEntry(name).status === 429);
    for (const [status, response] of Object.entries(operation?.responses ?? {})) {
      const names = Object.keys(("headers" in response && response.headers) || {});
      const expected = {
        "x-request-id": status !== "429" || hasOwnLimit,
        "retry-after": status === "503" || (status === "429" && hasOwnLimit),
        link: route.paging !== undefined && status === "200",
        "x-next-cursor": route.paging !== undefined && status === "200",
      };
      expect([status, names.filter((name) => name in expected).sort()]).toEqual([
        status,
        Object.entries(expected)
          .flatMap(([name, isDescribed]) => (isDescribed ? [name] : []))
          .sort(),
      ]);
    }
  });

  it.each(operations)("describes each parameter of $name", ({ operation }) => {
    for (const parameter of operation?.parameters ?? [])
      expect(parameter).toMatchObject({ description: expect.stringMatching(/./) });
  });

  it("describes int64", () => {
    expect(document.components?.schemas?.NewPlant).toMatchObject({
      required: ["id", "name"],
      properties: {
        id: { type: "integer", format: "int64" },
        name: { type: "string", minLength: 1, maxLength: 256 },
        tag: { type: "string", minLength: 1, maxLength: 128 },
      },
    });
  });
});

describe("the integration's operations", () => {
  const parts = { ...connectionRoutes, ...syncRoutes, ...recordRoutes, ...settingsRoutes };
  const integration = createOpenApiDocument({ ...routes, ...parts });
  const operationOf = ({ path, method }: Route) => integration.paths?.[path]?.[method.toLowerCase() as "get"];
  const examplesOf = (route: Route, status: number): string[] => {
    const response = operationOf(route)?.responses?.[String(status) as "200"];
    const content = response !== undefined && "content" in response ? response.content : undefined;
    return Object.keys(content?.["application/json"]?.examples ?? {});
  };

  it("may be refused because of the caller's address, unlike operations of plants", () => {
    for (const route of [...Object.values(parts), routes.getCircuitBreaker, routes.listSecurityEvents]) {
      expect(examplesOf(route, 403)).toContain("ip_address_not_allowed");
    }
    expect(examplesOf(routes.listPlants, 403)).toEqual([]);
  });

  it("may be refused because of the role, if some role has no permission", () => {
    expect(examplesOf(parts.listRecords, 403)).toContain("role_may_not");
    expect(examplesOf(parts.changeSettings, 403)).toContain("role_may_not");
  });

  it("require a body only if one of its fields is required", () => {
    const required = (route: Route) => {
      const body = operationOf(route)?.requestBody;
      return body !== undefined && "required" in body ? body.required : undefined;
    };
    expect(required(parts.changeSettings)).toBe(false);
    expect(required(parts.startSync)).toBe(false);
    expect(required(parts.connectProvider)).toBe(true);
    expect(required(routes.createPlant)).toBe(true);
    expect(required(parts.authorizeConnection)).toBeUndefined();
  });

  it("accept an Idempotency-Key only if they start work", () => {
    const headers = (route: Route) =>
      (operationOf(route)?.parameters ?? []).filter((one) => "in" in one && one.in === "header");
    expect(headers(parts.startSync)).toEqual([
      {
        name: "Idempotency-Key",
        in: "header",
        description: expect.stringContaining("24 hours"),
        schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]{1,255}$" },
      },
    ]);
    expect(examplesOf(parts.startSync, 409)).toContain("idempotency_conflict");
    expect(headers(parts.listSyncRuns)).toEqual([]);
  });
});

it.each(allPageRoutes)("leaves out %s, a page for people, which the README lists", (_name, { path }) => {
  expect(document.paths).not.toHaveProperty([path]);
  expect(readFileSync(join(root, "README.md"), "utf8")).toContain("| `GET /docs`");
});

describe("the README", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");

  it("lists every endpoint", () => {
    // A row may have several endpoints in its first cell.
    const listed = readme.split("\n").flatMap((row) => /^\| (`[^|]+`) \|/.exec(row)?.[1]?.split(", ") ?? []);
    const missing = operations.filter(({ route: { method, path } }) => !listed.includes(`\`${method} ${path}\``));
    const sentences = missing.map(
      ({ route: { method, path } }) =>
        `README.md: add a row of the table of endpoints that starts with | \`${method} ${path}\`, or add it to a row`,
    );
    expect(sentences).toEqual([]);
  });

  it.each(["/{organizationId}", "/-/platform"])("lists the webhook URL %s", (path) => {
    expect(readme).toContain(`| \`POST {webhook URL}${path}\` |`);
  });
});
