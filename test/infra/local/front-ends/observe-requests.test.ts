import { describe, expect, it } from "@jest/globals";
import type { Observation } from "../../../../infra/local/core/observation.ts";
import { observeRequests } from "../../../../infra/local/front-ends/observe-requests.ts";

const tokenOf = (claims: object) => `x.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.y`;

/** What is observed of one request. */
const observationOf = async (
  statusCode: number,
  body: string,
  rawHeaders: string[] = [],
  target = "/plants?limit=1",
) => {
  const observations: Observation[] = [];
  const observed = observeRequests({
    observe: (observation) => observations.push(observation),
    functions: [{ arn: "arn:list", logicalId: "ListPlants" }],
    organizationClaim: "org_id",
  });
  const answer = observed(async (_request, answering) => {
    Object.assign(answering, { functionArn: "arn:list", requestId: "r1" });
    return { statusCode, headers: {}, body: Buffer.from(body) };
  });
  const request = { method: "GET", target, httpVersion: "1.1", rawHeaders, body: undefined };
  await answer({ ...request, sourceIp: "127.0.0.1" });
  return observations;
};

describe("an observed request", () => {
  it("has its function, its id and the caller that the token names", async () => {
    const token = tokenOf({ sub: "ada", org_id: "acme" });
    expect(await observationOf(200, "[]", ["Accept", "authorization", "Authorization", `Bearer ${token}`])).toEqual([
      {
        kind: "request",
        method: "GET",
        target: "/plants?limit=1",
        status: 200,
        durationMs: expect.any(Number),
        source: "ListPlants",
        requestId: "r1",
        organizationId: "acme",
        userId: "ada",
        reason: undefined,
      },
    ]);
  });

  it.each([["Bearer not-a-token"], ["Bearer a.b.c"], [`Bearer ${tokenOf({ sub: 1, org_id: ["x"] })}`], ["Basic YTpi"]])(
    "has no caller with %s",
    async (authorization) => {
      const [observation] = await observationOf(401, "", ["authorization", authorization]);
      expect(observation).toMatchObject({ status: 401, organizationId: undefined, userId: undefined });
    },
  );

  it.each([
    ["/reports/1/page?key=secret&x=1", "/reports/1/page?key=…&x=1"],
    ["/plants?limit=1&access_token=secret", "/plants?limit=1&access_token=…"],
    ["/plants?ACCESS%5FTOKEN=secret", "/plants?ACCESS%5FTOKEN=…"],
    ["/callback?code=secret=&state=secret&error=no", "/callback?code=…&state=…&error=no"],
    ["/f?X-Amz-Signature=secret&X-Amz-Credential=secret", "/f?X-Amz-Signature=…&X-Amz-Credential=…"],
    ["/plants?client_secret=secret&api_key=secret&password=secret", "/plants?client_secret=…&api_key=…&password=…"],
    ["/plants?q=Bearer+secret&r=eyJh.eyJz.secret&s=sk_test_secret", "/plants?q=…&r=…&s=…"],
    ["/plants?%zz=%zz&access_token=secret", "/plants?%zz=%zz&access_token=…"],
    ["/plants?limit=1&cursor=abc&status=open&access_token=", "/plants?limit=1&cursor=abc&status=open&access_token="],
  ])("hides the credentials of %s", async (target, shown) => {
    const [observation] = await observationOf(200, "", [], target);
    expect(observation).toMatchObject({ target: shown });
  });

  it.each([
    [403, '{"error":40301,"message":"No permission."}', "40301 No permission."],
    [404, '{"message":"Not Found"}', "Not Found"],
    [403, '{"Message":"Forbidden."}', "Forbidden."],
    [502, "Internal Server Error", undefined],
    [200, '{"message":"fine"}', undefined],
  ])("with status %d and the body %s has the reason %s", async (status, body, reason) => {
    expect(await observationOf(status, body)).toMatchObject([{ reason }]);
  });
});
