/**
 * Each mistake of test/support/input-mistakes.ts over HTTP: no answer is a 5xx, each has a documented status, body and
 * headers, and Allow is complete. test/shared/api/inputs.test.ts has the same without stores, in `npm test`.
 */
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { expect, it } from "@jest/globals";
import { decodePath } from "../../infra/local/front-ends/http-api.ts";
import { requireContract } from "../support/contract.ts";
import { operations } from "../support/input-contract.ts";
import { type Mistake, mistakesOf, problemsOf } from "../support/input-mistakes.ts";
import { useSharedService } from "../support/use-service.ts";

const service = await useSharedService();
const token = await service.mint({ organizationId: "mistakes", role: "admin", userId: "ada" });

/** Sends the bytes as they are: `fetch` shortens paths and refuses headers. */
const send = ({ isWebhook, method, target, headers, body = "" }: Mistake) =>
  new Promise<{ response: Response; body: string }>((resolve, reject) => {
    const { hostname, port } = new URL(String(isWebhook ? service.stack.webhookUrl : service.stack.apiUrl));
    const all = {
      ...(!isWebhook && { authorization: `Bearer ${token}` }),
      ...(body.length > 0 && { "content-length": Buffer.byteLength(body) }),
      ...headers,
    };
    request({ hostname, port, method, path: target, headers: all }, async (answer) => {
      const sent = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
      resolve({
        response: new Response(null, { status: answer.statusCode ?? 0, headers: sent }),
        body: await text(answer),
      });
    })
      .once("error", reject)
      .end(body);
  });

/** Whether the service answered, and not the gateway: another shape, which the document's introduction describes. */
const isOfService = ({ headers }: Response) => headers.has("x-request-id");

const problemWithContract = ({ method, target }: Mistake, response: Response, body: string): string[] => {
  const isJson = response.headers.get("content-type") === "application/json";
  if (method === "HEAD" || (!isJson && response.status === 200)) return [];
  try {
    requireContract(method, decodePath(target) ?? target, response, body === "" ? undefined : JSON.parse(body));
    return [];
  } catch (error) {
    return [String(error)];
  }
};

const problemsOver = async (mistake: Mistake): Promise<string[]> => {
  const { response, body } = await send(mistake);
  const { status } = response;
  const problems = problemsOf(mistake, { status, allow: response.headers.get("allow") ?? undefined });
  if (mistake.isWebhook || !isOfService(response)) return problems;
  return [...problems, ...problemWithContract(mistake, response, body)];
};

/** Alternately, so that one function has requests of several lanes at a time. */
const LANES = 4;

it.each(operations)("$method $path answers each mistake as the document says", async (operation) => {
  const own = mistakesOf(operation);
  const problems: string[] = [];
  const lane = async (from: number) => {
    for (let i = from; i < own.length; i += LANES) {
      const mistake = own[i] as Mistake;
      problems.push(...(await problemsOver(mistake)).map((problem) => `${mistake.title}: ${problem}`));
    }
  };
  await Promise.all(Array.from({ length: LANES }, (_, from) => lane(from)));
  expect(problems).toEqual([]);
});
