import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { errorCatalogue } from "../../../shared/api/error-catalogue.ts";
import { createOpenApiDocument } from "../../../shared/api/open-api-document.ts";
import { allRoutes, routes } from "../../../shared/api/routes.ts";

const document = createOpenApiDocument(routes);
const operations = allRoutes.map(([name, route]) => {
  const operation = document.paths?.[route.path]?.[route.method.toLowerCase() as "get"];
  return { name, route, operation };
});

describe("the OpenAPI document", () => {
  it("has nothing that Redocly's strictest rules find fault with", async () => {
    const config = await createConfig({ extends: ["recommended-strict"] });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  it("is of version 1.0.0 and OpenAPI 3.1", () => {
    expect(document).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./), info: { version: "1.0.0" } });
  });

  it.each(operations)("knows $name, its permission and its failures", ({ name, route, operation }) => {
    expect(operation?.operationId).toBe(name);
    expect(operation?.security).toEqual(route.permission === "public" ? [] : [{ bearer: [] }]);
    const statuses = Object.keys(operation?.responses ?? {});
    expect(statuses).toContain(String(route.success.status));
    for (const failure of route.failures) expect(statuses).toContain(String(errorCatalogue[failure].status));
  });

  it("shows every number of the catalogue, each once and in its status's range", () => {
    const entries = Object.values(errorCatalogue);
    expect(new Set(entries.map(({ number }) => number)).size).toBe(entries.length);
    for (const { number, status } of entries) {
      expect(Math.floor(number / 100)).toBe(status);
      expect(document.info.description).toContain(`| ${number} | ${status} |`);
    }
  });

  it("tells what an int64 is", () => {
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

describe("the README", () => {
  const readme = readFileSync(join(import.meta.dirname, "..", "..", "..", "README.md"), "utf8");

  it.each(operations)("lists $name", ({ route: { method, path } }) => {
    expect(readme).toContain(`| \`${method} ${path}\` |`);
  });
});
