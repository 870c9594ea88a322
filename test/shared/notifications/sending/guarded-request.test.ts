/** Requests over real sockets and TLS, with a scripted resolver. */
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Server, Socket } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { afterEach, describe, expect, it } from "@jest/globals";
import { createGuardedRequest, type ResolveHost } from "../../../../shared/notifications/sending/guarded-request.ts";
import type { TargetPolicy } from "../../../../shared/notifications/sending/public-address.ts";
import type { GuardedRequestError } from "../../../../shared/notifications/sending/request-failure.ts";
import { createSelfSignedCertificate } from "../../../support/self-signed-certificate.ts";

const HOST = "receiver.example";
const { key, certificate } = createSelfSignedCertificate({ hosts: [HOST] });

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** Listens, and counts connections. @param port to share it between addresses. */
const listen = async (server: Server, address = "127.0.0.1", port = 0) => {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  stops.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, connections: sockets };
};

type Received = { method?: string | undefined; url?: string | undefined; host?: string | undefined; body: string };

/** An HTTPS server that keeps what it receives. */
const startReceiver = async (
  answer: (response: ServerResponse, request: IncomingMessage) => void = (response) => void response.end("ok"),
  { address, port, tls = { key, cert: certificate } }: { address?: string; port?: number; tls?: object } = {},
) => {
  const received: Received[] = [];
  const server = createServer(tls, (request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += String(chunk);
    });
    request.on("end", () => {
      received.push({ method: request.method, url: request.url, host: request.headers.host, body });
      answer(response, request);
    });
  });
  return { received, ...(await listen(server, address, port)) };
};

/** A TLS server that answers with bytes of any kind. */
const startRaw = (answer: (socket: TLSSocket) => void) =>
  listen(
    createTlsServer({ key, cert: certificate }, (socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => answer(socket));
    }),
  );

type Options = { resolve?: ResolveHost; policy?: TargetPolicy; limit?: () => AbortSignal; ca?: readonly string[] };

const requester = ({ resolve = async () => ["127.0.0.1"], policy = "loopback", limit, ca }: Options = {}) =>
  createGuardedRequest({
    rules: { policy, ownHosts: [] },
    resolve,
    trustedCertificates: ca ?? [certificate],
    ...(limit !== undefined && { limit }),
  });

const within = (ms: number) => () => AbortSignal.timeout(ms);

const send = (url: string, options?: Options) => requester(options)({ url, headers: {}, body: '{"a":1}' });

const failureOf = async (url: string, options?: Options): Promise<string> => {
  const error: GuardedRequestError = await send(url, options).then(
    ({ status }) => {
      throw new Error(`It was answered ${status}.`);
    },
    (thrown) => thrown,
  );
  expect(String(error)).not.toContain("token=secret");
  return error.failure;
};

const at = (port: number, path = "/hook?token=secret") => `https://${HOST}:${port}${path}`;

describe("a guarded request", () => {
  it("posts the body to the checked address under the host's name", async () => {
    const { received, port } = await startReceiver((response) =>
      response.writeHead(202, { "retry-after": "7", "set-cookie": "a=b" }).end("thanks"),
    );
    expect(await send(at(port))).toEqual({ status: 202, retryAfter: "7", body: "thanks" });
    expect(received).toEqual([{ method: "POST", url: "/hook?token=secret", host: `${HOST}:${port}`, body: '{"a":1}' }]);
  });

  it("opens a connection for each request", async () => {
    const { port, connections } = await startReceiver();
    const one = requester();
    for (let i = 0; i < 3; i++) await one({ url: at(port), headers: {}, body: "" });
    expect(connections.size).toBe(3);
  });

  it("connects to the address that was checked, though the name changes its address (DNS rebinding)", async () => {
    const checked = await startReceiver(undefined, { address: "127.0.0.2" });
    const other = await startReceiver(undefined, { address: "127.0.0.1", port: checked.port });
    const answers = [["127.0.0.2"], ["127.0.0.1"]];
    const resolve = async () => answers.shift() ?? ["127.0.0.1"];
    await send(at(checked.port), { resolve });
    expect([checked.received.length, other.connections.size, answers.length]).toEqual([1, 0, 1]);
  });

  it("resolves before each attempt", async () => {
    const { port, received } = await startReceiver();
    const answers = [["127.0.0.1"], ["10.0.0.1"]];
    const one = requester({ resolve: async () => answers.shift() ?? [] });
    await one({ url: at(port), headers: {}, body: "" });
    await expect(one({ url: at(port), headers: {}, body: "" })).rejects.toMatchObject({ failure: "refused_address" });
    expect(received).toHaveLength(1);
  });

  it("tries the next checked address if one does not answer", async () => {
    const { port, received } = await startReceiver();
    await send(at(port), { resolve: async () => ["127.0.0.3", "127.0.0.1"] });
    expect(received).toHaveLength(1);
  });

  it.each([
    ["one of several addresses is private", ["127.0.0.1", "10.0.0.1"], "loopback"],
    ["one of several addresses is the metadata service's", ["127.0.0.1", "169.254.169.254"], "loopback"],
    ["an IPv6 address contains a private IPv4 address", ["127.0.0.1", "::ffff:10.0.0.1"], "loopback"],
    ["the address is loopback and the policy public", ["127.0.0.1"], "public"],
    ["the address is IPv6 loopback and the policy public", ["::1"], "public"],
    [
      "there are more addresses than can be tried",
      Array.from({ length: 17 }, (_, i) => `127.0.0.${i + 1}`),
      "loopback",
    ],
  ] as const)("refuses without a connection if %s", async (_name, addresses, policy) => {
    const { port, connections } = await startReceiver();
    expect(await failureOf(at(port), { resolve: async () => addresses, policy })).toBe("refused_address");
    expect(connections.size).toBe(0);
  });

  it("refuses an address in the URL without asking for it", async () => {
    const { port, connections } = await startReceiver();
    const resolve = async () => {
      throw new Error("It was asked.");
    };
    for (const host of ["127.0.0.1", "2130706433", "[::ffff:127.0.0.1]", "localhost"])
      expect(await failureOf(`https://${host}:${port}/`, { resolve, policy: "public" })).toBe("refused_url");
    expect(connections.size).toBe(0);
  });

  it("does not follow a redirect", async () => {
    const inside = await startReceiver();
    const { port } = await startReceiver((response) =>
      response.writeHead(307, { location: `https://${HOST}:${inside.port}/latest/meta-data/` }).end(),
    );
    expect((await send(at(port))).status).toBe(307);
    expect(inside.connections.size).toBe(0);
  });

  it("reads 64 KB of an endless answer", async () => {
    const { port } = await startReceiver((response) => {
      const more = () => {
        while (response.write("x".repeat(10_000)));
      };
      response.on("drain", more);
      more();
    });
    expect((await send(at(port))).body).toHaveLength(65_536);
  });

  it("takes the status of an answer whose body drips for ever", async () => {
    const limit = new AbortController();
    let left = 20;
    const { port } = await startReceiver((response) => {
      const timer = setInterval(() => {
        response.write("x");
        left -= 1;
        if (left === 0) limit.abort();
      }, 5);
      response.on("close", () => clearInterval(timer));
    });
    expect(await send(at(port), { limit: () => limit.signal })).toMatchObject({
      status: 200,
      body: expect.stringMatching(/^x+$/),
    });
  });

  it("takes the status of an answer that breaks off", async () => {
    const { port } = await startRaw((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nonly this"));
    expect(await send(at(port))).toEqual({ status: 200, body: "only this" });
  });

  it.each([
    ["nothing", () => undefined, "timed_out"],
    ["a status line that drips", (socket: TLSSocket) => void socket.write("HTTP/1."), "timed_out"],
    [
      "endless early hints",
      (socket: TLSSocket) => {
        const timer = setInterval(() => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"), 5);
        socket.on("close", () => clearInterval(timer));
      },
      "timed_out",
    ],
    ["an early close", (socket: TLSSocket) => void socket.end(), "connection_lost"],
    ["bytes that are not HTTP", (socket: TLSSocket) => void socket.end("SSH-2.0-OpenSSH_9.0\r\n"), "answer_invalid"],
    [
      "headers without end",
      (socket: TLSSocket) => void socket.write(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(20_000)}\r\n`),
      "answer_invalid",
    ],
    [
      "two lengths",
      (socket: TLSSocket) => void socket.end("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"),
      "answer_invalid",
    ],
    [
      "another protocol",
      (socket: TLSSocket) =>
        void socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"),
      "connection_lost",
    ],
  ])("fails if the answer is %s", async (_name, answer, failure) => {
    const { port } = await startRaw(answer);
    expect(await failureOf(at(port), failure === "timed_out" ? { limit: within(150) } : {})).toBe(failure);
  });

  it("limits the time of everything together, name servers included", async () => {
    const never: ResolveHost = () => new Promise(() => undefined);
    expect(await failureOf(at(9_000), { resolve: never, limit: within(50) })).toBe("timed_out");
  });

  it("does not wait for a handshake that never comes", async () => {
    const silent = createHttpServer();
    const { port } = await listen(silent);
    silent.removeAllListeners("request");
    silent.on("clientError", () => undefined);
    expect(await failureOf(at(port), { limit: within(150) })).toBe("timed_out");
  });

  it.each([
    ["a name that it is not for", { key, cert: certificate }, "other.example", [certificate]],
    ["an unknown issuer", { key, cert: certificate }, HOST, [createSelfSignedCertificate().certificate]],
  ])("refuses a certificate of %s", async (_name, tls, host, ca) => {
    const { port, received } = await startReceiver(undefined, { tls });
    expect(await failureOf(`https://${host}:${port}/`, { ca })).toBe("tls_failed");
    expect(received).toEqual([]);
  });

  it("refuses an expired certificate", async () => {
    const expired = createSelfSignedCertificate({ hosts: [HOST], expiresAt: Date.now() - 60_000 });
    const { port } = await startReceiver(undefined, { tls: { key: expired.key, cert: expired.certificate } });
    expect(await failureOf(at(port), { ca: [expired.certificate] })).toBe("tls_failed");
  });

  it("refuses TLS 1.1, and a server without TLS", async () => {
    const old = await startReceiver(undefined, {
      tls: { key, cert: certificate, minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" },
    });
    expect(await failureOf(at(old.port))).toBe("tls_failed");
    const plain = await listen(createHttpServer((_request, response) => response.end()));
    expect(await failureOf(at(plain.port))).toBe("tls_failed");
  });

  it.each([
    ["no address", async () => [], "name_not_resolved"],
    [
      "an error of the name server",
      async () => {
        throw Object.assign(new Error("queryA ESERVFAIL"), { code: "ESERVFAIL" });
      },
      "name_not_resolved",
    ],
    ["an address where nobody listens", async () => ["127.0.0.9"], "not_connected"],
  ])("fails with %s", async (_name, resolve, failure) => {
    const { port } = await startReceiver();
    expect(await failureOf(at(port), { resolve })).toBe(failure);
  });

  it("sends plain http to loopback only, and only in local runs", async () => {
    const plain = await listen(createHttpServer((_request, response) => response.end("plain")));
    for (const host of ["127.0.0.1", "localhost"])
      expect((await send(`http://${host}:${plain.port}/`)).body).toBe("plain");
    expect(await failureOf(`http://127.0.0.1:${plain.port}/`, { policy: "public" })).toBe("refused_url");
    expect(await failureOf(`http://${HOST}:${plain.port}/`)).toBe("refused_url");
  });

  it("ignores proxies and relaxed TLS in the environment", async () => {
    const proxy = await listen(createHttpServer());
    const { port } = await startReceiver();
    const { env } = process;
    const set = {
      HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
      NODE_USE_ENV_PROXY: "1",
      NODE_TLS_REJECT_UNAUTHORIZED: "0",
    };
    Object.assign(env, set);
    try {
      expect((await send(at(port))).status).toBe(200);
      expect(await failureOf(at(port), { ca: [createSelfSignedCertificate().certificate] })).toBe("tls_failed");
    } finally {
      for (const name of Object.keys(set)) delete env[name];
    }
    expect(proxy.connections.size).toBe(0);
  });
});
