/** A page of the console without a browser: for tests of its session, and of hooks in files without JSX. */
import { jest } from "@jest/globals";
import { type ContainerNode, h, render } from "preact";

const ORIGIN = "https://console.example";

const createStorage = () => {
  const items = new Map<string, string>();
  return {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
    clear: () => items.clear(),
  };
};

/**
 * Defines what the console's modules use of a browser. To be called before they are imported: some read the address when
 * they are loaded.
 */
export const usePage = (settings: { issuer: string; scope: string }, origin = ORIGIN) => {
  const page = new EventTarget();
  const content = JSON.stringify({ clientId: "console", audience: null, ...settings });
  const location = Object.assign(new URL("/console", origin), { assign: jest.fn<(to: string | URL) => void>() });
  const visit = (address: string): void => {
    location.href = new URL(address, origin).href;
  };
  const names = {
    location,
    document: Object.assign(page, { hidden: false, querySelector: () => ({ content }) }),
    history: { replaceState: (_state: null, _title: string, address: string) => visit(address) },
    sessionStorage: createStorage(),
    localStorage: createStorage(),
    addEventListener: page.addEventListener.bind(page),
    removeEventListener: page.removeEventListener.bind(page),
  };
  for (const [name, value] of Object.entries(names))
    Object.defineProperty(globalThis, name, { value, configurable: true });
  Object.defineProperty(navigator, "onLine", { value: true, configurable: true });
  /** Where the page was sent last. */
  const sentTo = (): URL => new URL(location.assign.mock.lastCall?.[0] ?? "");
  return { visit, sentTo };
};

/** The signed-in user. */
const CALLER = {
  organizationId: "demo",
  userId: "ada",
  role: "admin",
  permissions: ["status:read"],
  recordTypes: ["customers"],
};

const ISSUER = "https://issuer.example";

/** The JSON of an answer with the status 200, or the whole answer. */
export type ApiAnswer = Response | object;

/**
 * A page of a signed-in administrator, for a file that calls this when it is loaded.
 * @returns the API, which answers each request by `answer`. A test sets it; if it throws, there is no answer
 */
export const useSignedInPage = async () => {
  const page = usePage({ issuer: ISSUER, scope: "offline_access" });
  const api = { answer: (_request: Request): ApiAnswer | Promise<ApiAnswer> => ({}) };
  const tokens = { access_token: "token", token_type: "Bearer", expires_in: 3_600 };
  const endpoints = { authorization_endpoint: `${ISSUER}/authorize`, token_endpoint: `${ISSUER}/token` };
  jest.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    const { href, origin, pathname } = new URL(request.url);
    if (origin !== ISSUER) {
      const answer = await api.answer(request);
      return answer instanceof Response ? answer : Response.json(answer);
    }
    const body = pathname === "/token" ? tokens : { issuer: ISSUER, ...endpoints };
    const response = Response.json(body);
    Object.defineProperty(response, "url", { value: href });
    return response;
  });
  const { signIn, startSession } = await import("../../functions/console/app/session/session.ts");
  type Caller = Awaited<ReturnType<Parameters<typeof startSession>[0]>>;
  const readCaller = async () => CALLER as unknown as Caller;
  await startSession(readCaller);
  await signIn();
  page.visit(`/console?code=c&state=${page.sentTo().searchParams.get("state")}`);
  await startSession(readCaller);
  return api;
};

/**
 * Runs a hook in a component that draws nothing.
 * @returns `now`: what the hook returned last. `draw` runs another hook in its place; `end` removes the component.
 */
export const runHook = <Result>(use: () => Result) => {
  const place = { nodeType: 1, childNodes: [], firstChild: null } as unknown as ContainerNode;
  let last: Result | undefined;
  const Probe = ({ run }: { run: () => Result }) => {
    last = run();
    return null;
  };
  const draw = (run: () => Result) => render(h(Probe, { run }), place);
  draw(use);
  return { now: () => last as Result, draw, end: () => render(null, place) };
};
