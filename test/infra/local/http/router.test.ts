import { describe, expect, it } from "@jest/globals";
import { createRouter } from "../../../../infra/local/http/router.ts";

const keys = ["$default", "GET /pets/{kind}/{id}", "GET /pets/dog/{id}", "GET /pets/dog/1", "POST /pets", "GET /"];
// The order does not matter: the most specific route wins, not the first.
const route = createRouter(keys.map((routeKey) => ({ routeKey })));

describe("route selection", () => {
  it.each([
    ["GET", "/pets/dog/1", "GET /pets/dog/1", {}],
    ["GET", "/pets/dog/2", "GET /pets/dog/{id}", { id: "2" }],
    ["PUT", "/pets/dog/2", "$default", {}],
    ["GET", "/pets/cat/2", "GET /pets/{kind}/{id}", { kind: "cat", id: "2" }],
    ["GET", "/pets/cat/2/3", "$default", {}],
    ["POST", "/pets", "POST /pets", {}],
    ["GET", "/pets", "$default", {}],
    ["POST", "/pets/", "$default", {}],
    ["GET", "/", "GET /", {}],
    ["POST", "/", "$default", {}],
    ["GET", "/pets/dog/ü ü", "GET /pets/dog/{id}", { id: "ü ü" }],
    ["GET", "/pets/dog/", "$default", {}],
  ])("%s %s is served by %s", (method, path, routeKey, pathParameters) => {
    expect(route(method, path)).toEqual({ route: { routeKey }, pathParameters });
  });

  it("finds no route without $default", () => {
    const strict = createRouter([{ routeKey: "GET /plants/{id}" }]);
    expect(strict("GET", "/plants")).toBeUndefined();
    expect(strict("GET", "/plants/")).toBeUndefined();
    expect(strict("POST", "/plants/1")).toBeUndefined();
    expect(strict("GET", "/plants/1/2")).toBeUndefined();
    expect(strict("GET", "/Plants/1")).toBeUndefined();
  });
});
