/**
 * A proxy in front of a DynamoDB server that several test files share. Behind it, each file has tables of its own: a
 * prefix is added to the tables' names in requests and removed from answers.
 */
import { Agent, createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { listen } from "../../infra/local/http/listen.ts";

type Json = { [name: string]: unknown };

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const mapValues = (value: unknown, map: (value: Json) => Json): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, isObject(one) ? map(one) : one]))
    : value;

/**
 * A request with the prefix before each name of a table: at the top, in the actions of a transaction, and as keys of
 * `RequestItems`. Nothing else is changed, because items may have any attributes.
 */
const addPrefix = (request: Json, prefix: string): Json => {
  const named = (value: Json): Json =>
    typeof value.TableName === "string" ? { ...value, TableName: prefix + value.TableName } : value;
  const { RequestItems: batch, TransactItems: transaction } = request;
  return {
    ...named(request),
    ...(isObject(batch) && {
      RequestItems: Object.fromEntries(Object.entries(batch).map(([name, one]) => [prefix + name, one])),
    }),
    ...(Array.isArray(transaction) && { TransactItems: transaction.map((action) => mapValues(action, named)) }),
  };
};

/** An answer without the prefix. Of a list of tables, only those with the prefix stay. */
const removePrefix = (answer: string, prefix: string): string => {
  if (!answer.includes('"TableNames"')) return answer.replaceAll(prefix, "");
  const { TableNames = [], ...others } = JSON.parse(answer) as { TableNames?: string[] };
  const own = TableNames.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  return JSON.stringify({ ...others, TableNames: own });
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The checksum covers the answer as the server sent it, and the lengths change. */
const DROPPED = ["connection", "content-length", "host", "keep-alive", "transfer-encoding", "x-amz-crc32"];

const passedOn = (headers: IncomingMessage["headers"]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !DROPPED.includes(name)));

/** @param prefix letters, digits and hyphens that occur in no test */
export const startTableNamespace = async (endpoint: string, prefix: string) => {
  const agent = new Agent({ keepAlive: true });
  const forward = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const text = (await buffer(incoming)).toString();
    const request: unknown = parse(text);
    const sent = isObject(request) ? JSON.stringify(addPrefix(request, prefix)) : text;
    const headers = { ...passedOn(incoming.headers), "content-length": Buffer.byteLength(sent) };
    const { method, url } = incoming;
    const upstream = requestHttp(new URL(url ?? "/", endpoint), { method, headers, agent }, async (answer) => {
      const body = removePrefix((await buffer(answer)).toString(), prefix);
      outgoing.writeHead(answer.statusCode ?? 502, {
        ...passedOn(answer.headers),
        "content-length": Buffer.byteLength(body),
      });
      outgoing.end(body);
    });
    upstream.on("error", () => outgoing.destroy());
    upstream.end(sent);
  };
  const server = createServer((incoming, outgoing) => void forward(incoming, outgoing).catch(() => outgoing.destroy()));
  const { url, close } = await listen(server, 0);
  return {
    endpoint: url,
    async stop() {
      await close();
      agent.destroy();
    },
  };
};
