import type { APIGatewayProxyEventV2, Context } from "aws-lambda";

type Parts = Partial<
  Pick<APIGatewayProxyEventV2, "body" | "isBase64Encoded" | "rawPath" | "rawQueryString" | "routeKey">
> & {
  method?: string;
  headers?: Record<string, string>;
  pathParameters?: Record<string, string>;
};

/** An HTTP API event as a handler receives it. Tests of the whole service send real requests instead. */
export const httpEvent = ({ method = "POST", headers = {}, ...parts }: Parts = {}): APIGatewayProxyEventV2 => {
  const rawPath = parts.rawPath ?? "/plants";
  return {
    version: "2.0",
    routeKey: `${method} ${rawPath}`,
    rawQueryString: "",
    isBase64Encoded: false,
    ...parts,
    rawPath,
    headers,
    requestContext: {
      accountId: "000000000000",
      apiId: "api",
      domainName: "localhost",
      domainPrefix: "localhost",
      http: { method, path: rawPath, protocol: "HTTP/1.1", sourceIp: "127.0.0.1", userAgent: "jest" },
      requestId: "request-1",
      routeKey: `${method} ${rawPath}`,
      stage: "$default",
      time: "21/Nov/2026:00:00:00 +0000",
      timeEpoch: 1_795_219_200_000,
    },
  };
};

/** A Lambda context with ten seconds left. */
export const lambdaContext: Context = {
  callbackWaitsForEmptyEventLoop: true,
  functionName: "test",
  functionVersion: "$LATEST",
  invokedFunctionArn: "arn:aws:lambda:eu-central-1:000000000000:function:test",
  memoryLimitInMB: "1024",
  awsRequestId: "invocation-1",
  logGroupName: "/aws/lambda/test",
  logStreamName: "test",
  getRemainingTimeInMillis: () => 10_000,
  done: () => undefined,
  fail: () => undefined,
  succeed: () => undefined,
};
