/**
 * Bundles replace parts of the SDK (infra/bundling/bundle-aliases.ts). Each function runs as its bundle and as its source
 * with the whole SDK, against the same store. Both must behave the same.
 */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { FunctionModel } from "../../infra/local/core/model.ts";
import type { DynamoDb } from "../../infra/local/dynamodb/engine.ts";
import { createTables } from "../../infra/local/dynamodb/tables.ts";
import { functionsByRoute, mainFile, readDeployedStack } from "../bench/deployed-function.ts";
import { benchEnvironment, claims } from "../bench/plant-requests.ts";
import { runInstance } from "../bench/run-instance.ts";
import { assemblyDirectory } from "../support/assembly.ts";
import { httpEvent } from "../support/http-event.ts";
import { makeKey, startIssuer } from "../support/issuer.ts";
import { type Attempt, attempts, startScriptedStore } from "../support/scripted-store.ts";
import { newDirectory } from "../support/temporary-directory.ts";
import { startTestDynamoDb } from "../support/test-dynamodb.ts";
import { usePerFile } from "../support/use-started.ts";

const issuer = usePerFile(startIssuer);
let token: string;
let engine: DynamoDb;
let deployed: ReadonlyMap<string, FunctionModel>;
beforeAll(async () => {
  const key = await makeKey("key");
  issuer.state.keys = [key.jwk];
  const now = Math.floor(Date.now() / 1000);
  token = await issuer.sign(key, {
    iss: issuer.issuer,
    aud: claims.aud,
    sub: "ada",
    org_id: "acme",
    iat: now,
    exp: now + 600,
  });
  const workDirectory = newDirectory("bundles-");
  const stack = await readDeployedStack({ assemblyDirectory, workDirectory });
  deployed = functionsByRoute(stack);
  engine = await startTestDynamoDb();
  await createTables(engine.endpoint, stack.tables);
});
afterAll(async () => {
  await engine.stop();
});

const functions = {
  "create-plant": "POST /plants",
  "list-plants": "GET /plants",
  "delete-plant": "DELETE /plants/{id}",
} as const;
type Name = keyof typeof functions;

const deployedAs = (name: Name): FunctionModel => {
  const fn = deployed.get(functions[name]);
  if (fn === undefined) throw new Error(`${functions[name]} is not deployed`);
  return fn;
};
const bundle = (name: Name) => mainFile(deployedAs(name));
const source = (name: Name) => join(import.meta.dirname, "../../functions/plants", `${name}.ts`);

const environment = (name: Name, endpoint: string) => ({
  ...benchEnvironment(deployedAs(name), { issuer: issuer.issuer, endpoint }),
  _X_AMZN_TRACE_ID: "Root=1-67891233-abcdef012345678912345678",
});

const sent = (parts: Parameters<typeof httpEvent>[0]): APIGatewayProxyEventV2 =>
  httpEvent({ ...parts, headers: { authorization: `Bearer ${token}`, "content-type": "application/json" } });
const create = (body: string) => sent({ method: "POST", body });
const remove = (id: string) => sent({ method: "DELETE", rawPath: `/plants/${id}`, pathParameters: { id } });
const list = (rawQueryString = "") => sent({ method: "GET", rawQueryString });

const answersOf = async (name: Name, file: string, endpoint: string, events: readonly APIGatewayProxyEventV2[]) => {
  const { responses } = await runInstance({ file, environment: environment(name, endpoint), events });
  return responses.map(({ statusCode, body, headers }) => ({ statusCode, body, headers }));
};

describe("the bundles with the real engine", () => {
  it("create, list and delete, and keep all digits of an id", async () => {
    const biggest = "9223372036854775807";
    const created = await answersOf("create-plant", bundle("create-plant"), engine.endpoint, [
      create('{"id":9007199254740993,"name":"Monstera"}'),
      create(`{"id":${biggest},"name":"Aloe","tag":"dry"}`),
      create('{"id":9007199254740993,"name":"Another"}'),
      create('{"id":9007199254740992,"name":"Neighbour"}'),
    ]);
    expect(created.map(({ statusCode }) => statusCode)).toEqual([200, 200, 409, 200]);

    const [all] = await answersOf("list-plants", bundle("list-plants"), engine.endpoint, [list()]);
    expect(all?.body).toBe('[{"name":"Neighbour"},{"name":"Monstera"},{"name":"Aloe","tag":"dry"}]');

    const deleted = await answersOf("delete-plant", bundle("delete-plant"), engine.endpoint, [
      remove(biggest),
      remove(biggest),
    ]);
    expect(deleted.map(({ statusCode }) => statusCode)).toEqual([204, 404]);
  });

  it("answer 503 if the table is missing", async () => {
    const { responses } = await runInstance({
      file: bundle("list-plants"),
      environment: { ...environment("list-plants", engine.endpoint), PLANTS_TABLE_NAME: "missing" },
      events: [list()],
    });
    expect(responses[0]?.statusCode).toBe(503);
  });
});

/** Headers that differ between any two calls. */
const volatile = [
  "authorization",
  "x-amz-content-sha256",
  "x-amz-date",
  "amz-sdk-invocation-id",
  "host",
  "content-length",
];

const observe = async (name: Name, file: string, event: APIGatewayProxyEventV2, script: readonly Attempt[]) => {
  const store = await startScriptedStore(script);
  try {
    const answers = await answersOf(name, file, store.endpoint, [event]);
    const requests = store.requests.map(({ headers, body }) => ({
      // The SDK's builds for ES modules and for CommonJS report different versions.
      headers: Object.fromEntries(
        Object.entries(headers)
          .filter(([name]) => !volatile.includes(name))
          .map(([name, value]) => [name, String(value).replace(/\b3\.\d+\.\d+/g, "3")]),
      ),
      signedHeaders: /SignedHeaders=([^,]+)/.exec(headers.authorization ?? "")?.[1],
      // The token of a creation is random.
      body: JSON.stringify(body).replace(/"token":\{"S":"[^"]+"\}/, '"token":{}'),
    }));
    return { answers, requests };
  } finally {
    await store.stop();
  }
};

describe("a bundle behaves as its source does", () => {
  const newPlant = () => create('{"id":-9223372036854775808,"name":"Monstera"}');
  const item = { scope: { S: "org:acme" }, id: { N: "9223372036854775807" }, name: { S: "Aloe" }, token: { S: "t" } };

  it.each<[Name, string, () => APIGatewayProxyEventV2, Attempt[], number, number]>([
    ["create-plant", "on success", newPlant, [attempts.succeed()], 200, 1],
    [
      "create-plant",
      "where the plant exists",
      newPlant,
      [attempts.refuse("ConditionalCheckFailedException", { Item: item })],
      409,
      1,
    ],
    ["create-plant", "where it may not", newPlant, [attempts.refuse("AccessDeniedException")], 503, 1],
    ["create-plant", "where the store fails once", newPlant, [attempts.fail(), attempts.succeed()], 200, 2],
    ["create-plant", "where the store fails for good", newPlant, [attempts.fail()], 503, 3],
    ["create-plant", "where it is throttled", newPlant, [attempts.throttle(), attempts.succeed()], 200, 2],
    ["create-plant", "where a proxy speaks HTML", newPlant, [attempts.speakHtml()], 503, 3],
    ["create-plant", "where the connection breaks", newPlant, [attempts.reset(), attempts.succeed()], 200, 2],
    ["create-plant", "where the store hangs", newPlant, [attempts.hang()], 503, 3],
    [
      "list-plants",
      "with a page",
      () => list("limit=1"),
      [attempts.succeed({ Items: [item, item], Count: 2 })],
      200,
      1,
    ],
    ["list-plants", "with nothing", () => list(), [attempts.succeed({ Items: [], Count: 0 })], 200, 1],
    ["delete-plant", "on success", () => remove("7"), [attempts.succeed()], 204, 1],
    [
      "delete-plant",
      "where there is no plant",
      () => remove("7"),
      [attempts.refuse("ConditionalCheckFailedException")],
      404,
      1,
    ],
  ])("%s %s", async (name, _when, event, script, status, sentRequests) => {
    const [bundled, whole] = await Promise.all([
      observe(name, bundle(name), event(), script),
      observe(name, source(name), event(), script),
    ]);
    expect(bundled.answers[0]?.statusCode).toBe(status);
    expect(bundled.requests).toHaveLength(sentRequests);
    const withoutCursor = ({ answers, requests }: typeof bundled) => ({
      // A sealed cursor contains a random nonce.
      answers: answers.map(({ headers: { link, "x-next-cursor": cursor, ...headers } = {}, ...answer }) => ({
        ...answer,
        headers,
        hasLink: link !== undefined,
        hasCursor: cursor !== undefined,
      })),
      requests,
    });
    expect(withoutCursor(bundled)).toEqual(withoutCursor(whole));
  });
});
