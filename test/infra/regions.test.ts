import { describe, expect, it } from "@jest/globals";
import { parseContext } from "../../infra/config.ts";

const domain = {
  webhookDomainName: "hooks.example.com",
  webhookCertificateArn: "arn:aws:acm:eu-central-1:123456789012:certificate/1",
};
const entranceOf = (context: Record<string, string>, region?: string) => parseContext(context, region).webhookEntrance;

describe("a region", () => {
  it("has a function URL as the entrance of webhooks if it is unknown or has function URLs", () => {
    for (const region of [undefined, "eu-central-1", "us-east-1", "mx-central-1"])
      expect(entranceOf({}, region)).toBe("url");
  });

  it("has an HTTP API as the entrance in China and GovCloud, which have no function URLs", () => {
    for (const region of ["cn-north-1", "cn-northwest-1", "us-gov-west-1"]) expect(entranceOf({}, region)).toBe("api");
  });

  it("has an HTTP API as the entrance if webhooks have a domain name", () => {
    expect(entranceOf(domain, "eu-central-1")).toBe("api");
    expect(entranceOf({ ...domain, webhookEntrance: "both" }, "eu-central-1")).toBe("both");
  });

  it.each(["ap-south-2", "ca-west-1", "eu-central-2", "eu-south-2", "il-central-1", "me-central-1"])(
    "needs a chosen entrance if it has no function URLs: %s",
    (region) => {
      const sentence = `AWS Lambda has no function URLs in the region ${region}: add --context webhookEntrance=api`;
      expect(() => entranceOf({}, region)).toThrow(sentence);
      expect(() => entranceOf({ region })).toThrow(sentence);
      expect(() => entranceOf({ webhookEntrance: "both" }, region)).toThrow(sentence);
      expect(entranceOf({ webhookEntrance: "api" }, region)).toBe("api");
      expect(entranceOf(domain, region)).toBe("api");
    },
  );

  it("has no function URL in China on request", () => {
    expect(() => entranceOf({ webhookEntrance: "url" }, "cn-north-1")).toThrow("the region cn-north-1");
  });

  it("has tracing everywhere but in China", () => {
    expect(() => parseContext({ xrayTracing: "true" }, "cn-north-1")).toThrow(
      "AWS X-Ray does not trace Lambda functions in the region cn-north-1: leave xrayTracing out.",
    );
    expect(parseContext({ xrayTracing: "true" }, "eu-central-1").xrayTracing).toBe(true);
  });

  it("has keys that sign the log everywhere but in isolated partitions", () => {
    for (const region of ["us-iso-east-1", "us-isob-east-1", "eu-isoe-west-1"])
      expect(() => entranceOf({ webhookEntrance: "api" }, region)).toThrow(
        `AWS KMS has no keys of the type ECC_NIST_EDWARDS25519 in the region ${region}`,
      );
    for (const region of ["cn-north-1", "us-gov-west-1", "me-central-1", undefined])
      expect(entranceOf({ webhookEntrance: "api" }, region)).toBe("api");
  });

  it("of the context counts before the command line's", () => {
    expect(entranceOf({ region: "eu-central-1" }, "eu-south-2")).toBe("url");
  });
});
