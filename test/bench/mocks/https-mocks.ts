/**
 * The servers that a function calls in its first request, over TLS as in the cloud: an OpenID issuer with one RSA key,
 * and a DynamoDB that acknowledges every call. They are the same for every subject.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { createSelfSignedCertificate } from "../../support/self-signed-certificate.ts";

const KEY_ID = "bench-key";

const readAll = async (message: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

const plants = Array.from({ length: 50 }, (_, i) => ({
  scope: { S: "org:acme" },
  id: { N: String(i) },
  name: { S: "Monstera deliciosa" },
  tag: { S: "tropical" },
  token: { S: "AAAAAAAAAAAA" },
}));
const page = JSON.stringify({ Count: plants.length, Items: plants, ScannedCount: plants.length });

const dynamoDb = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  await readAll(request);
  // AWS answers a plain GET of the root like this. A Query returns 50 plants; all other calls succeed with an empty answer.
  if (request.method === "GET") {
    response.writeHead(200, { "content-type": "text/plain" }).end("healthy");
    return;
  }
  const body = request.headers["x-amz-target"] === "DynamoDB_20120810.Query" ? page : "{}";
  response.writeHead(200, { "content-type": "application/x-amz-json-1.0" }).end(body);
};

const listen = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const stop = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

/** All requests and connections that both servers received. */
type Seen = { requests: string[]; connections: number };

export type HttpsMocks = Awaited<ReturnType<typeof startHttpsMocks>>;

export const startHttpsMocks = async () => {
  const directory = mkdtempSync(join(tmpdir(), "bench-"));
  const { key, certificate: cert } = createSelfSignedCertificate();
  const certificateFile = join(directory, "certificate.pem");
  writeFileSync(certificateFile, cert);

  const { privateKey, publicKey } = await generateKeyPair("RS256", { modulusLength: 2048 });
  const jwk = { ...(await exportJWK(publicKey)), kid: KEY_ID, alg: "RS256", use: "sig" };
  const seen: Seen = { requests: [], connections: 0 };
  let failures = 0;
  const note = (server: "issuer" | "store", { method, url, headers }: IncomingMessage) =>
    seen.requests.push(`${headers.authorization === undefined ? "unsigned" : "signed"} ${method} ${server}${url}`);

  const issuerServer = createServer({ key, cert }, (request, response) => {
    note("issuer", request);
    if (failures > 0) {
      failures--;
      return void response.writeHead(500).end();
    }
    const body = request.url === "/keys" ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/keys` };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  const storeServer = createServer({ key, cert }, (request, response) => {
    note("store", request);
    void dynamoDb(request, response);
  });
  for (const server of [issuerServer, storeServer]) server.on("secureConnection", () => seen.connections++);
  const issuer = await listen(issuerServer);
  const store = await listen(storeServer);

  return {
    issuer,
    store,
    seen,
    /** The file for NODE_EXTRA_CA_CERTS. */
    certificateFile,
    /** The issuer answers its next requests with 500. */
    failNext: (requests: number): void => {
      failures = requests;
    },
    /** An access token of the issuer, valid for one hour. */
    sign: (claims: JWTPayload) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: "RS256", kid: KEY_ID })
        .setIssuer(issuer)
        .setIssuedAt()
        .setExpirationTime("1h")
        .sign(privateKey),
    stop: async () => {
      await Promise.all([stop(issuerServer), stop(storeServer)]);
      rmSync(directory, { recursive: true });
    },
  };
};
