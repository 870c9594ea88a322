import { describe, expect, it } from "@jest/globals";
import { createRouter } from "../../../../infra/local/http/router.ts";
import { fc } from "../../../support/fixed-seed.ts";

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

  it("prefers any other route of the path to one with a greedy parameter", () => {
    const greedy = createRouter(
      [
        "GET /console/{view+}",
        "GET /console/assets/{file}",
        "GET /console/{view}/edit",
        "GET /console",
        "$default",
      ].map((routeKey) => ({ routeKey })),
    );
    const served = (method: string, path: string) => {
      const match = greedy(method, path);
      return [match?.route.routeKey, match?.pathParameters];
    };
    expect(served("GET", "/console")).toEqual(["GET /console", {}]);
    expect(served("GET", "/console/alerts")).toEqual(["GET /console/{view+}", { view: "alerts" }]);
    expect(served("GET", "/console/alerts/ü/x")).toEqual(["GET /console/{view+}", { view: "alerts/ü/x" }]);
    expect(served("GET", "/console/assets/a.js")).toEqual(["GET /console/assets/{file}", { file: "a.js" }]);
    expect(served("GET", "/console/assets/a/b.js")).toEqual(["GET /console/{view+}", { view: "assets/a/b.js" }]);
    expect(served("GET", "/console/alerts/edit")).toEqual(["GET /console/{view}/edit", { view: "alerts" }]);
    expect(served("GET", "/console/")).toEqual(["$default", {}]);
    expect(served("POST", "/console/alerts")).toEqual(["$default", {}]);
  });

  it("selects the same route in any order of the routes, those of other paths among them", () => {
    const routeKeys = [
      "PUT /a/{id}",
      "PUT /a/link",
      "PUT /a/b/{name}",
      "PUT /a/{id}/test",
      "PUT /a/b/c",
      "GET /a/{id}",
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(routeKeys, { minLength: routeKeys.length }), (order) => {
        const shuffled = createRouter(order.map((routeKey) => ({ routeKey })));
        const selected = ["/a/link", "/a/1", "/a/b/c", "/a/b/x", "/a/1/test"].map(
          (path) => shuffled("PUT", path)?.route.routeKey,
        );
        expect(selected).toEqual(["PUT /a/link", "PUT /a/{id}", "PUT /a/b/c", "PUT /a/b/{name}", "PUT /a/{id}/test"]);
      }),
    );
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
