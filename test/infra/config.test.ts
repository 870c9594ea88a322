import { describe, expect, it } from "@jest/globals";
import { NO_ISSUER, parseContext } from "../../infra/config.ts";

const issuer = "https://login.example.com/";
const prod = { stage: "prod", issuer, audience: "plants" };

describe("the context of a deployment", () => {
  it("needs nothing for development, and then trusts no issuer", () => {
    expect(parseContext({})).toEqual({
      stage: "dev",
      issuer: NO_ISSUER,
      audience: "plant-store",
      organizationClaim: "org_id",
      roleClaim: "org_role",
    });
  });

  it("needs issuer and audience for production, and nothing else", () => {
    expect(parseContext(prod)).toMatchObject(prod);
    expect(() => parseContext({ ...prod, issuer: undefined })).toThrow("stage prod needs issuer and audience");
    expect(() => parseContext({ ...prod, audience: undefined })).toThrow("stage prod needs issuer and audience");
  });

  it.each([
    [{ isuer: issuer }, "isuer"],
    [{ stage: "production" }, "stage"],
    [{ issuer: "http://login.example.com" }, "expected an https URL"],
    [{ issuer: "login.example.com" }, "issuer"],
    [{ audience: "" }, "audience"],
    [{ roleClaim: "" }, "roleClaim"],
    [{ domainName: "api.example.com" }, "both or neither"],
    [{ certificateArn: "arn:aws:acm:eu-central-1:1:certificate/x" }, "both or neither"],
    [{ domainName: "api.example.com", certificateArn: "x" }, "certificateArn"],
  ])("refuses %p", (context, message) => {
    expect(() => parseContext(context)).toThrow(message);
  });

  it("lets the CDK keep its own keys", () => {
    const own = { "@aws-cdk/core:x": true, "aws:cdk:y": 1, "cli-telemetry": false, "availability-zones:account=1": [] };
    expect(parseContext(own).stage).toBe("dev");
  });
});
