import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from "@jest/globals";
import {
  ADA,
  API_URL,
  createBrowser,
  startTestIssuer,
  type TestIssuer,
} from "../../infra/local/issuer/browser-and-client.ts";
import { usePage } from "../../support/console-page.ts";

type Session = typeof import("../../../functions/console/app/session/session.ts");

/** Signs in with an access token of a minute. The console renews it after the first half. */
const signInAt = async (issuer: TestIssuer): Promise<Session> => {
  const page = usePage({ issuer: issuer.url(), scope: "openid offline_access" }, API_URL);
  const session = await import("../../../functions/console/app/session/session.ts");
  const readCaller = async () => ({}) as Awaited<ReturnType<Parameters<Session["startSession"]>[0]>>;
  await session.startSession(readCaller);
  await session.signIn();
  const { location } = await createBrowser().submit(page.sentTo().href, { ...ADA, lifetime: "minute" });
  page.visit(location?.href ?? "");
  await session.startSession(readCaller);
  return session;
};

/** Moves the time of the page and of the issuer. */
const advance = (seconds: number) => {
  const now = Date.now() + seconds * 1_000;
  jest.spyOn(Date, "now").mockImplementation(() => now);
};

afterEach(() => {
  jest.restoreAllMocks();
});

it.each([
  ["replaces", true],
  ["keeps", false],
])("a session outlives each access token at an issuer that %s refresh tokens", async (_, isRotating) => {
  const issuer = await startTestIssuer({ isRotating, clock: { now: () => Date.now() } });
  const { accessToken, session } = await signInAt(issuer);
  const seen = [await accessToken()];
  for (const _ of [1, 2, 3]) {
    advance(45);
    seen.push(await accessToken());
  }
  expect(seen).toEqual(Array(4).fill(expect.any(String)));
  expect([new Set(seen).size, session.value.state]).toEqual([4, "signedIn"]);
  await issuer.close();
  expect(issuer.errors).toEqual([]);
});

it("has a new token before the next request, if the local cloud's clock was moved", async () => {
  let movedMs = 0;
  const issuer = await startTestIssuer({ clock: { now: () => Date.now() + movedMs } });
  const { accessToken } = await signInAt(issuer);
  const first = await accessToken();
  expect(await accessToken()).toBe(first);
  movedMs = 70 * 60_000;
  const second = await accessToken();
  expect([typeof second, second === first]).toEqual(["string", false]);
  expect(await accessToken()).toBe(second);
  await issuer.close();
});

describe("a session", () => {
  let issuer: TestIssuer;
  let signedIn: Session;
  beforeAll(async () => {
    issuer = await startTestIssuer({ clock: { now: () => Date.now() } });
  });
  beforeEach(async () => {
    signedIn = await signInAt(issuer);
  });
  afterAll(() => issuer.close());

  it("is renewed once for all requests of a moment", async () => {
    const before = await signedIn.accessToken();
    advance(45);
    const asked = jest.spyOn(globalThis, "fetch");
    const { accessToken, tokenAfterRefusal } = signedIn;
    const [first, ...others] = await Promise.all([accessToken(), accessToken(), tokenAfterRefusal(before ?? "")]);
    expect(first).not.toBe(before);
    expect(others).toEqual([first, first]);
    const renewals = asked.mock.calls.filter(([input]) => String(input).endsWith("/token"));
    expect(renewals).toHaveLength(1);
  });

  it("expires when the API refuses a token that was just renewed", async () => {
    const before = (await signedIn.accessToken()) ?? "";
    const renewed = (await signedIn.tokenAfterRefusal(before)) ?? "";
    signedIn.endRefusedSession(before);
    expect(signedIn.session.value.state).toBe("signedIn");
    signedIn.endRefusedSession(renewed);
    expect([signedIn.session.value.state, await signedIn.accessToken()]).toEqual(["expired", undefined]);
  });

  it("ends with the sign-out, here and at the issuer", async () => {
    const asked = jest.spyOn(globalThis, "fetch");
    await signedIn.signOut();
    expect(asked.mock.calls.map(([input]) => new URL(String(input)).pathname)).toContain("/revoke");
    expect([signedIn.session.value.state, await signedIn.accessToken()]).toEqual(["signedOut", undefined]);
  });

  // The last test: the outage goes on.
  it("goes on with a token that is still valid while the issuer is down", async () => {
    const before = await signedIn.accessToken();
    await fetch(`${issuer.url()}/outage`, { method: "POST" });
    advance(45);
    expect(await signedIn.accessToken()).toBe(before);
    advance(30);
    await expect(signedIn.accessToken()).rejects.toThrow(
      /^Your session could not be renewed\. The sign-in service at /,
    );
    expect(signedIn.session.value.state).toBe("signedIn");
  });
});
