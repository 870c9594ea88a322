import { expect, it } from "@jest/globals";
import { allRoutes } from "../../shared/api/routes.ts";
import { endpointCases } from "./endpoint-cases.ts";

it("the matrix has a case for every endpoint, and for both webhook URLs", () => {
  const names = [...allRoutes.map(([name]) => name), "receiveWebhook", "receivePlatformWebhook"];
  expect(Object.keys(endpointCases)).toEqual(expect.arrayContaining(names));
});
