/** Debian's Chromium without a window, driven over its DevTools protocol; it reaches nothing but this machine. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { startWatchdog } from "../../infra/local/watchdog.ts";

const CANDIDATES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Where the browser is; undefined where the machine has none. */
export const chromiumPath = (): string | undefined => CANDIDATES.find((path) => existsSync(path));

type Answer = {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: unknown;
};

export type View = { width: number; height?: number; scheme?: "light" | "dark"; media?: "screen" | "print" };

export type Tab = {
  /** Everything that the browser had to complain about: errors, warnings, exceptions, violations. */
  complaints: string[];
  /** The addresses that were asked for. */
  requests: string[];
  show(url: string, view: View): Promise<void>;
  evaluate<Value>(expression: string): Promise<Value>;
  /** PNG. */
  screenshot(): Promise<Buffer>;
  pdf(): Promise<Buffer>;
};

const LOAD_MS = 30_000;

/** Starts a browser with a profile of its own, which is gone when it is stopped. */
export const startChromium = async (path: string) => {
  const profile = mkdtempSync(join(tmpdir(), "chromium-"));
  const child: ChildProcess = spawn(
    path,
    [
      ...["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"],
      ...["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
      ...["--disable-extensions", "--disable-default-apps", "--metrics-recording-only", "--no-pings"],
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
      ...["--remote-debugging-port=0", `--user-data-dir=${profile}`, "about:blank"],
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  // However the test's process ends, the browser must not outlive it.
  const watchdog = startWatchdog();
  if (child.pid !== undefined) watchdog.guard(child.pid);
  if (child.stderr === null) throw new Error("The browser has no standard error.");
  let address: string | undefined;
  for await (const line of createInterface({ input: child.stderr })) {
    address = /DevTools listening on (ws:\S+)/.exec(line)?.[1];
    if (address !== undefined) break;
  }
  if (address === undefined) throw new Error("The browser did not start.");
  child.stderr.resume();

  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });
  let lastId = 0;
  const pending = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  const listeners = new Set<(answer: Answer) => void>();
  socket.addEventListener("message", ({ data }) => {
    const answer: Answer = JSON.parse(String(data));
    if (answer.id === undefined) {
      for (const listener of listeners) listener(answer);
      return;
    }
    const waiting = pending.get(answer.id);
    pending.delete(answer.id);
    if (answer.error === undefined) waiting?.resolve(answer.result);
    else waiting?.reject(new Error(JSON.stringify(answer.error)));
  });
  const send = async <Result>(method: string, params: object = {}, sessionId?: string): Promise<Result> => {
    const id = ++lastId;
    const result = new Promise<unknown>((resolve, reject) => pending.set(id, { resolve, reject }));
    socket.send(JSON.stringify({ id, method, params, ...(sessionId !== undefined && { sessionId }) }));
    return (await result) as Result;
  };

  return {
    async newTab(): Promise<Tab> {
      const { targetId } = await send<{ targetId: string }>("Target.createTarget", { url: "about:blank" });
      const { sessionId } = await send<{ sessionId: string }>("Target.attachToTarget", { targetId, flatten: true });
      const call = <Result>(method: string, params: object = {}) => send<Result>(method, params, sessionId);
      const complaints: string[] = [];
      const requests: string[] = [];
      let loaded: (() => void) | undefined;
      listeners.add(({ method, params, sessionId: of }) => {
        if (of !== sessionId) return;
        if (
          method === "Log.entryAdded" ||
          method === "Runtime.consoleAPICalled" ||
          method === "Runtime.exceptionThrown"
        ) {
          complaints.push(JSON.stringify(params));
        }
        if (method === "Network.requestWillBeSent") {
          requests.push(String((params as { request: { url: string } }).request.url));
        }
        if (method === "Page.loadEventFired") loaded?.();
      });
      for (const domain of ["Page", "Runtime", "Log", "Network"]) await call(`${domain}.enable`);
      return {
        complaints,
        requests,
        async show(url, { width, height = 900, scheme = "light", media = "screen" }) {
          await call("Emulation.setDeviceMetricsOverride", {
            width,
            height,
            deviceScaleFactor: 1,
            mobile: width < 600,
          });
          await call("Emulation.setEmulatedMedia", {
            media,
            features: [{ name: "prefers-color-scheme", value: scheme }],
          });
          const load = new Promise<void>((resolve, reject) => {
            const timer = setTimeout(() => reject(new Error(`${url} did not load.`)), LOAD_MS);
            loaded = () => {
              clearTimeout(timer);
              resolve();
            };
          });
          await call("Page.navigate", { url });
          await load;
        },
        async evaluate<Value>(expression: string): Promise<Value> {
          const { result, exceptionDetails } = await call<{ result: { value: Value }; exceptionDetails?: object }>(
            "Runtime.evaluate",
            { expression, returnByValue: true, awaitPromise: true },
          );
          if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
          return result.value;
        },
        async screenshot() {
          const { data } = await call<{ data: string }>("Page.captureScreenshot", {
            captureBeyondViewport: true,
            format: "png",
          });
          return Buffer.from(data, "base64");
        },
        async pdf() {
          const { data } = await call<{ data: string }>("Page.printToPDF", {
            preferCSSPageSize: true,
            printBackground: true,
          });
          return Buffer.from(data, "base64");
        },
      };
    },

    async stop(): Promise<void> {
      const exited = new Promise((resolve) => child.once("exit", resolve));
      await send("Browser.close").catch(() => child.kill("SIGKILL"));
      await exited;
      if (child.pid !== undefined) watchdog.release(child.pid);
      await watchdog.stop();
      socket.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
};
