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
