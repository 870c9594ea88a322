/** Each operation has an example that the service produced, and that its schema allows. */
import { describe, expect, it } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import committed from "../../../shared/api/examples.json" with { type: "json" };
import { createOpenApiDocument } from "../../../shared/api/open-api-document.ts";
import { routes } from "../../../shared/api/routes.ts";
import { encodeJson } from "../../../shared/json/encode-json.ts";

type Media = { schema: object; examples?: Record<string, { value: unknown }> };
type Content = { "application/json"?: Media };
type Operation = {
  operationId: string;
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
};

const document = JSON.parse(encodeJson(createOpenApiDocument(routes)));
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ $id: "api", ...document });

const escaped = (part: string) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));

/** The bodies that an operation must have an example of: its request's and its success's. */
const bodies = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, { operationId, requestBody, responses }]) => {
    const success = Object.keys(responses).find((status) => status.startsWith("2")) ?? "";
    const at = ["paths", path, method];
    const content = ["content", "application/json"];
    return [
      { title: `the request of ${operationId}`, media: requestBody?.content, at: [...at, "requestBody", ...content] },
      {
        title: `the answer of ${operationId}`,
        media: responses[success]?.content,
        at: [...at, "responses", success, ...content],
      },
    ].flatMap(({ title, media, at: path }) => {
      const json = media?.["application/json"];
      return json === undefined ? [] : [{ title, operationId, json, at: path }];
    });
  }),
);

describe("an example", () => {
  it.each(bodies)("exists for $title and fits its schema; npm run examples records them", ({ title, json, at }) => {
    const examples = Object.entries(json.examples ?? {});
    const missing = `add ${title} to test/examples/record-examples.ts, and run npm run examples`;
    expect(examples.length === 0 ? [missing] : []).toEqual([]);
    const validate = ajv.compile({ $ref: `api#/${[...at, "schema"].map(escaped).join("/")}` });
    for (const [name, { value }] of examples) {
      validate(value);
      expect([name, ajv.errorsText(validate.errors)]).toEqual([name, "No errors"]);
    }
  });

  it("exists for each action of alerts and of the circuit breaker", () => {
    const { AlertAction, CircuitAction } = document.components.schemas;
    expect(Object.keys(committed.changeSecurityAlerts)).toEqual(Object.keys(AlertAction.discriminator.mapping));
    expect(Object.keys(committed.changeCircuitBreaker).sort()).toEqual(
      [...CircuitAction.properties.action.enum].sort(),
    );
  });

  it("belongs to an operation", () => {
    const operations = bodies.map(({ operationId }) => operationId);
    expect(Object.keys(committed).filter((operation) => !operations.includes(operation))).toEqual([]);
  });
});
