import { request } from "node:http";
import { text } from "node:stream/consumers";
import type { ServiceUnderTest } from "./service.ts";

/** A request from another address of this machine, such as 127.0.0.2. */
export const requestFrom = (
  { stack }: Pick<ServiceUnderTest, "stack">,
  localAddress: string,
  [method, path]: readonly [string, string],
  token: string,
) =>
  new Promise<{ status: number | undefined; body: unknown }>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    request(new URL(path, stack.apiUrl), { method, headers, localAddress }, async (response) => {
      resolve({ status: response.statusCode, body: JSON.parse(await text(response)) });
    })
      .once("error", reject)
      .end();
  });
