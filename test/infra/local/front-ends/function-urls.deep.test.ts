/** Function URLs as CDK synthesises them, served over real sockets by a whole local cloud. */
import { request as httpRequest } from "node:http";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { Duration, type Stack } from "aws-cdk-lib";
import {
  CfnPermission,
  Code,
  type FunctionUrl,
  FunctionUrlAuthType,
  Function as LambdaFunction,
  Runtime,
} from "aws-cdk-lib/aws-lambda";
import { functionDirectory } from "../../../support/function-directory.ts";
import { startTestCloud, synthesiseTestStack } from "../../../support/local-cloud.ts";
import { usePerFile } from "../../../support/use-started.ts";

/** Answers with the received event and the first URL, if its environment has one. */
const ECHO = `
  export const handler = async (event) => {
    if (event.rawQueryString === "throw") throw new Error("broken");
    if (event.rawQueryString === "hang") await new Promise(() => setInterval(() => {}, 1_000));
    if (event.rawQueryString === "large") return { statusCode: 200, body: '"'.repeat(3_200_000) };
    if (event.rawQueryString === "nonsense") return { statusCode: 42 };
    const body = event.rawQueryString === "length" ? String(event.body.length) : JSON.stringify({ event, url: process.env.URL });
    return { statusCode: 201, headers: { "content-type": "application/json", "x-echo": "yes" }, body };
  };
`;

/** The construct ids of the two permissions that CDK adds to a function with a URL. */
const PERMISSIONS = { url: "invoke-function-url", invoke: "invoke-function" } as const;

const fill = (stack: Stack): void => {
  const withUrl = (id: string) => {
    const fn = new LambdaFunction(stack, id, {
      runtime: Runtime.NODEJS_24_X,
      handler: "index.handler",
      code: Code.fromAsset(functionDirectory(ECHO)),
      timeout: Duration.seconds(2),
    });
    return { fn, url: fn.addFunctionUrl({ authType: FunctionUrlAuthType.NONE }) };
  };
  const without = (id: string, ...permissions: string[]): { fn: LambdaFunction; url: FunctionUrl } => {
    const made = withUrl(id);
    for (const name of permissions)
      if (!made.fn.node.tryRemoveChild(name)) throw new Error(`CDK adds no permission ${name} any more`);
    return made;
  };
  const { url } = withUrl("Open");
  without("NotInvoked", PERMISSIONS.invoke);
  without("NotByUrl", PERMISSIONS.url);
  without("Closed", PERMISSIONS.url, PERMISSIONS.invoke);
  const otherKind = without("OtherKind", PERMISSIONS.url);
  new CfnPermission(stack, "ForSignedOnly", {
    action: "lambda:InvokeFunctionUrl",
    functionName: otherKind.fn.functionArn,
    functionUrlAuthType: "AWS_IAM",
    principal: "*",
  });
  // Another function may refer to the URL. The URL's own function cannot: CloudFormation refuses the cycle.
  withUrl("Knows").fn.addEnvironment("URL", url.url);
};

const cloud = usePerFile(() => startTestCloud({ assemblyDirectory: synthesiseTestStack(fill) }));
let webhookUrl = "";
beforeAll(() => {
  webhookUrl = cloud.stack.webhookUrl ?? "";
});

/** The URL of a function from the log. The stack file has the first URL instead. */
const urlOf = (name: string): string => {
  const line = cloud.lines.find((one) => one.includes(`the function URL ${name}FunctionUrl`));
  return /http:\S+$/.exec(line ?? "")?.[0] ?? `no URL of ${name}`;
};
const post = (target: string, body: string | Uint8Array<ArrayBuffer>, contentType?: string) =>
  fetch(webhookUrl + target, {
    method: "POST",
    body,
    ...(contentType !== undefined && { headers: { "content-type": contentType } }),
  });
/** Sends the target exactly as given; `fetch` would normalise it. @returns the event that the function received */
const eventOf = (target: string): Promise<Record<string, unknown>> =>
  new Promise((resolve, reject) => {
    const { port } = new URL(webhookUrl);
    const request = httpRequest({ host: "127.0.0.1", port, path: target, headers: { "user-agent": "test" } });
    request.once("error", reject).once("response", async (response) => {
      let text = "";
      for await (const chunk of response) text += String(chunk);
      resolve(JSON.parse(text).event);
    });
    request.end();
  });

describe("a function URL", () => {
  it("is in the stack file without a trailing slash if it is the first; the other URLs are in the log", () => {
    expect(webhookUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(urlOf("Knows")).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(cloud.stack).not.toHaveProperty("apiUrl");
  });

  it("is the value of GetAtt, with the slash", async () => {
    const response = await fetch(urlOf("Knows"));
    expect(await response.json()).toMatchObject({ url: `${webhookUrl}/` });
  });

  it("gives the function an event of payload 2.0, with the path as sent", async () => {
    const { port } = new URL(webhookUrl);
    const event = await eventOf("/org%2Fa%20b//%C3%A9?x=1&x=%20y");
    const path = "/org%2Fa%20b//%C3%A9";
    expect(event).toEqual({
      version: "2.0",
      routeKey: "$default",
      rawPath: path,
      rawQueryString: "x=1&x=%20y",
      queryStringParameters: { x: "1, y" },
      headers: {
        host: `127.0.0.1:${port}`,
        "user-agent": "test",
        "x-amzn-trace-id": expect.any(String),
        "x-forwarded-for": "127.0.0.1",
        "x-forwarded-port": port,
        "x-forwarded-proto": "http",
      },
      requestContext: {
        accountId: "anonymous",
        apiId: expect.stringMatching(/^[0-9a-f]{32}$/),
        domainName: "127.0.0.1",
        domainPrefix: "127",
        http: { method: "GET", path, protocol: "HTTP/1.1", sourceIp: "127.0.0.1", userAgent: "test" },
        requestId: expect.any(String),
        routeKey: "$default",
        stage: "$default",
        time: expect.any(String),
        timeEpoch: expect.any(Number),
      },
      isBase64Encoded: false,
    });
  });

  it.each([
    ["application/json; charset=utf-8", false],
    ["text/plain", false],
    ["application/x-www-form-urlencoded", true],
    ["application/octet-stream", true],
    [undefined, true],
  ])("passes on a body of type %s, as bytes: %s", async (contentType, isBase64Encoded) => {
    const text = '{"id":"evt_é"}';
    const response = await post("/acme", Buffer.from(text), contentType);
    expect(response.status).toBe(201);
    expect(response.headers.get("x-echo")).toBe("yes");
    const body = isBase64Encoded ? Buffer.from(text).toString("base64") : text;
    expect(await response.json()).toMatchObject({ event: { body, isBase64Encoded } });
  });

  it("accepts an event of up to 6 MB, so a body in base64 must be smaller", async () => {
    const size = 5 * 1_048_576;
    const text = await post("/?length", "a".repeat(size), "text/plain");
    expect(await text.text()).toBe(String(size));
    expect((await post("/?length", new Uint8Array(size), "application/octet-stream")).status).toBe(413);
    expect((await post("/?length", "a".repeat(6 * 1_048_576 + 1), "text/plain")).status).toBe(413);
  });

  it.each(["throw", "hang", "large", "nonsense"])("answers 502 for a function with the fault: %s", async (what) => {
    const response = await fetch(`${webhookUrl}/?${what}`);
    expect(response.status).toBe(502);
    expect(await response.text()).toBe("Internal Server Error");
  });
});

describe("a function URL without the permissions that it needs", () => {
  it.each([
    ["NotInvoked", "lambda:InvokeFunction"],
    ["NotByUrl", "lambda:InvokeFunctionUrl"],
    ["Closed", "lambda:InvokeFunctionUrl"],
    ["OtherKind", "lambda:InvokeFunctionUrl"],
  ])("%s returns 403 to every caller and logs the reason: %s", async (name, action) => {
    const response = await fetch(urlOf(name), { method: "POST", body: "{}" });
    expect(response.status).toBe(403);
    expect(response.headers.get("x-amzn-errortype")).toBe("AccessDeniedException");
    expect(await response.json()).toEqual({ Message: expect.stringMatching(/^Forbidden/) });
    const fn = cloud.functions.list().find(({ logicalId }) => logicalId.startsWith(name));
    expect(fn?.coldStarts).toBe(0);
    const why = `because no resource-based policy allows the ${action} action`;
    expect(cloud.lines.filter((line) => line.includes(`${name}FunctionUrl`) && line.endsWith(why))).toHaveLength(1);
  });
});
