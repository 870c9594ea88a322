/** The key in the query of a link. It is the authentication of routes that a browser or a mail program opens. */
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import * as z from "zod/mini";
import { DomainError } from "../runtime/domain-error.ts";
import { parseFields, parseQuery } from "./parse-request.ts";

/** Sealed in base64url. The longest key, which names an organization, a user and a session, is shorter. */
const KEY = /^[A-Za-z0-9_-]{1,4096}$/;
const KEY_ERROR = "expected the key of a link: 1 to 4096 letters, digits, - or _";

/** The query of a route behind a link. */
export const linkQuery = z.object({
  key: z
    .string({ error: KEY_ERROR })
    .check(z.regex(KEY, { error: KEY_ERROR }))
    .register(z.globalRegistry, { description: "The key in the link; opaque to clients." }),
});

/** @throws DomainError `no_bearer_token` if there is no key, `invalid_field` if it is malformed. */
export const readLinkKey = ({ rawQueryString }: Pick<APIGatewayProxyEventV2, "rawQueryString">): string => {
  const sent = parseQuery(rawQueryString, ["key"], true);
  if (sent.key === undefined) {
    throw new DomainError("no_bearer_token", "The link lacks its key. Open the link as it was created.");
  }
  return parseFields(linkQuery, sent, "query").key;
};
