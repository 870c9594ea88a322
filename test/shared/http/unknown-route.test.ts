import { describe, expect, it } from "@jest/globals";
import { createUnknownRouteHandler } from "../../../shared/http/unknown-route.ts";
import { httpEvent, lambdaContext } from "../../support/http-event.ts";
import { quietLog } from "../../support/quiet-log.ts";

const PREFLIGHT = { origin: "https://app.example.com", "access-control-request-method": "POST" };

quietLog();

const answer = (answersPreflights: boolean, headers: Record<string, string>, method = "OPTIONS") =>
  createUnknownRouteHandler([{ method: "POST", path: "/plants" }], { answersPreflights })(
    httpEvent({ method, headers }),
    lambdaContext,
  );

describe("a request that matches no route", () => {
  it("is 204 if it is a preflight request and pages of other origins are allowed", async () => {
    const response = await answer(true, PREFLIGHT);
    expect(response).toMatchObject({ statusCode: 204 });
    expect(response).not.toHaveProperty("body");
  });

  it("is 405 in all other cases", async () => {
    expect(await answer(false, PREFLIGHT)).toMatchObject({ statusCode: 405 });
    expect(await answer(true, {})).toMatchObject({ statusCode: 405, headers: { allow: "POST" } });
    expect(await answer(true, { origin: PREFLIGHT.origin })).toMatchObject({ statusCode: 405 });
    expect(await answer(true, PREFLIGHT, "PATCH")).toMatchObject({ statusCode: 405 });
  });
});

describe("a path", () => {
  const ROUTES = [
    { method: "GET", path: "/plants" },
    { method: "POST", path: "/plants" },
    { method: "DELETE", path: "/plants/{id}" },
    { method: "PUT", path: "/plants/{id}/leaf" },
  ] as const;
  const answerTo = (rawPath: string) =>
    createUnknownRouteHandler(ROUTES, { answersPreflights: true })(
      httpEvent({ method: "PATCH", rawPath }),
      lambdaContext,
    );

  it.each([
    ["/plants", "GET, POST"],
    ["/plants/7", "DELETE"],
    ["/plants/7/leaf", "PUT"],
    ["/plants/leaf/leaf", "PUT"],
  ])("%s of routes is 405 and allows %s", async (path, allow) => {
    const response = await answerTo(path);
    expect(response).toMatchObject({ statusCode: 405, headers: { allow } });
    expect(JSON.parse(response.body ?? "").error).toBe(40501);
  });

  it.each([
    "/",
    "/plant",
    "/plants/",
    "/plants/7/",
    "/plants//leaf",
    "/plants/7/stem",
    "/stems/7",
    "/plants/7/leaf/1",
    "/x/7/leaf",
  ])("%s of no route is 404", async (path) => {
    const response = await answerTo(path);
    expect(response.statusCode).toBe(404);
    expect(response.headers).not.toHaveProperty("allow");
    expect(JSON.parse(response.body ?? "")).toEqual({ error: 40402, message: "The path does not exist." });
  });

  it("is a preflight only with an origin and a method", async () => {
    const { origin, ...withoutOrigin } = PREFLIGHT;
    expect(await answer(true, withoutOrigin)).toMatchObject({ statusCode: 405 });
    expect(origin).toBeDefined();
  });
});
