/** Content codings of responses: https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1 */
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { Response } from "./respond.ts";

/** Whether an Accept-Encoding header names the coding, and not with the weight 0. RFC 9110, 12.5.3. */
export const acceptsCoding = (accept: string, coding: RegExp): boolean =>
  accept.split(",").some((one) => {
    const [name = "", ...parameters] = one.split(";").map((part) => part.trim().toLowerCase());
    return coding.test(name) && !parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter));
  });

export const GZIP = /^(?:x-)?gzip$/;

/** Characters. A smaller body arrives with the first packets of a connection anyway. */
const LEAST_LENGTH = 4_096;
/** Level 1 makes JSON 9 times smaller, the default level 10 times, in four times the CPU time. */
const LEVEL = 1;

/**
 * The response, compressed by gzip if the client accepts it and the body is large. An HTTP API does not compress:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-vs-rest.html
 * Without a Vary header, because caches may not store it.
 */
export const compressed = async ({ headers }: APIGatewayProxyEventV2, response: Response): Promise<Response> => {
  const { body = "" } = response;
  if (body.length < LEAST_LENGTH || !acceptsCoding(headers["accept-encoding"] ?? "", GZIP)) return response;
  // A cold start does not wait for the module.
  const { gzipSync } = await import("node:zlib");
  return {
    ...response,
    headers: { ...response.headers, "content-encoding": "gzip" },
    body: gzipSync(body, { level: LEVEL }).toString("base64"),
    isBase64Encoded: true,
  };
};
