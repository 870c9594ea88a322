/** An AWS account for preflight: one address for all services, as AWS_ENDPOINT_URL names it. It checks signatures. */
import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { listen } from "../../../infra/local/http/listen.ts";
import { fromQuery, type Operation, requireShape, type Service, services, toJson, toXml } from "./api-model.ts";

export const CREDENTIALS = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" };

/** An error of AWS as the answer to a call. */
export class Refusal {
  readonly code: string;
  readonly message: string;
  readonly status: number;

  constructor(code: string, message = "no", status = 400) {
    this.code = code;
    this.message = message;
    this.status = status;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the shapes of the models check answers and inputs
type Given = any;
/** By `service:Operation`: the members of the answer, or what makes them of the input. */
export type Answers = Readonly<Record<string, object | ((input: Given, region: string) => object)>>;

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html */
const signatureOf = (request: IncomingMessage, body: string, scope: string, signed: string): string => {
  const url = new URL(request.url ?? "", "http://mock");
  const query = [...url.searchParams].map(([key, value]) => `${encode(key)}=${encode(value)}`).sort();
  const headers = signed.split(";").map((name) => `${name}:${String(request.headers[name]).trim()}\n`);
  const path = url.pathname.split("/").map(encode).join("/");
  const canonical = [request.method, path, query.join("&"), headers.join(""), signed, sha256(body)].join("\n");
  const time = String(request.headers["x-amz-date"]);
  const toSign = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const key = scope
    .split("/")
    .reduce<Buffer | string>((last, part) => hmac(last, part), `AWS4${CREDENTIALS.secretAccessKey}`);
  return hmac(key, toSign).toString("hex");
};

/** The service and region that a request is signed for. @throws Error if the signature is wrong */
const authenticate = (request: IncomingMessage, body: string): { service: string; region: string } => {
  const header = request.headers.authorization ?? "";
  const [, keyId, scope = "", signed = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\S+), SignedHeaders=(\S+), Signature=(\S+)$/.exec(header) ?? [];
  if (keyId !== CREDENTIALS.accessKeyId) throw new Error(`unknown key in ${header}`);
  if (signature !== signatureOf(request, body, scope, signed)) throw new Error(`wrong signature of ${request.url}`);
  const [, region = "", service = ""] = scope.split("/");
  return { service, region };
};

/** The operation of a path such as `/v2/email/identities/{EmailIdentity}`, and the members in path and query. */
const matchPath = (url: URL, name: string, { path, input }: Operation) => {
  const labels: string[] = [];
  const pattern = path.replace(/\{(\w+)\}/g, (_, label: string) => `${labels.push(label) && "([^/]+)"}`);
  const match = new RegExp(`^${pattern}$`).exec(url.pathname);
  if (match === null) return undefined;
  const memberOf = (wire: string) =>
    Object.entries(input.members ?? {}).find(([member, shape]) => (shape.wire ?? member) === wire)?.[0] ?? wire;
  const fromPath = labels.map((label, index) => [memberOf(label), decodeURIComponent(match[index + 1] ?? "")] as const);
  const fromUrl = [...url.searchParams].map(([key, value]) => [memberOf(key), value] as const);
  return { name, input: Object.fromEntries([...fromPath, ...fromUrl]) as object };
};

const readCall = ({ protocol, target, version, operations }: Service, request: IncomingMessage, body: string) => {
  if (protocol === "query") {
    const { Action: name = "", Version, ...fields } = Object.fromEntries(new URLSearchParams(body));
    if (Version !== version) throw new Error(`version ${Version}, not ${version}`);
    return { name, input: fromQuery(Object.entries(fields), operations[name]?.input ?? {}) as object };
  }
  if (protocol === "json") {
    const [prefix, name = ""] = String(request.headers["x-amz-target"]).split(".");
    if (prefix !== target) throw new Error(`target ${prefix}, not ${target}`);
    return { name, input: JSON.parse(body) as object };
  }
  const url = new URL(request.url ?? "", "http://mock");
  const call = Object.entries(operations)
    .map(([name, operation]) => matchPath(url, name, operation))
    .find((match) => match !== undefined);
  if (call === undefined) throw new Error(`no operation at ${url.pathname}`);
  return call;
};

const write = ({ protocol }: Service, name: string, { output }: Operation, answer: object) => {
  if (answer instanceof Refusal) {
    const { status, code, message } = answer;
    const xml = `<ErrorResponse><Error><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;
    const json = protocol === "json" ? { __type: `com.amazonaws#${code}`, message } : { message };
    return {
      status,
      code: protocol === "rest-json" ? code : undefined,
      text: protocol.endsWith("json") ? JSON.stringify(json) : xml,
    };
  }
  requireShape(answer, output, name);
  const xml = toXml(answer, output);
  if (protocol === "query")
    return { status: 200, text: `<${name}Response><${name}Result>${xml}</${name}Result></${name}Response>` };
  if (protocol === "rest-xml")
    return { status: 200, text: `<?xml version="1.0"?><${name}Response>${xml}</${name}Response>` };
  return { status: 200, text: JSON.stringify(toJson(answer, output)) };
};

/** Its answers may be replaced at any time. A request that AWS would not understand is an answer of 500 and in `faults`. */
export const startMockedAccount = async () => {
  let answers: Answers = {};
  const calls: string[] = [];
  const faults: string[] = [];
  const answerTo = (request: IncomingMessage, body: string) => {
    const { service: signingName, region } = authenticate(request, body);
    const service = services[signingName];
    if (service === undefined) throw new Error(`no service ${signingName}`);
    const { name, input } = readCall(service, request, body);
    const operation = service.operations[name];
    if (operation === undefined) throw new Error(`no operation ${signingName}:${name}`);
    requireShape(input, operation.input, name);
    calls.push(`${signingName}:${name}`);
    const answer = answers[`${signingName}:${name}`];
    if (answer === undefined) throw new Error(`the test has no answer for ${signingName}:${name}`);
    return write(service, name, operation, typeof answer === "function" ? answer(input, region) : answer);
  };
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => {
      try {
        const { status, code, text }: { status: number; code?: string | undefined; text: string } = answerTo(
          request,
          body,
        );
        response
          .writeHead(status, code === undefined ? {} : { "x-amzn-errortype": `${code}:http://internal/` })
          .end(text);
      } catch (error) {
        faults.push(error instanceof Error ? error.message : String(error));
        response.writeHead(418).end("{}");
      }
    });
  });
  const { url, close } = await listen(server, 0);
  return {
    endpointUrl: url,
    calls,
    faults,
    answer: (given: Answers) => {
      answers = given;
      calls.length = 0;
      faults.length = 0;
    },
    close,
  };
};
