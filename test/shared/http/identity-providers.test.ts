import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { type Authenticate, createAuthenticator } from "../../../shared/http/authenticate.ts";
import { describeCaller } from "../../../shared/settings/caller-access.ts";
import { defaultSettings } from "../../../shared/settings/settings.ts";
import { roles } from "../../../shared/terms/permissions.ts";
import { makeKey, startIssuer } from "../../support/issuer.ts";
import { usePerFile } from "../../support/use-started.ts";
import { variants } from "./identity-provider-tokens.ts";
import { type CallerAccess, configOf, quotedRefusals, type Recipe, recipes } from "./identity-recipes.ts";

type Fields = Readonly<Record<string, unknown>>;
type Difference = { context?: Record<string, string | undefined>; header?: Fields; claims?: Fields };

const issuer = usePerFile(startIssuer);
const key = usePerFile(() => makeKey("key of the provider"));
beforeAll(() => {
  // The keys of Entra ID have no alg, those of the other providers do: both must work.
  issuer.state.keys = [{ ...key.jwk, alg: undefined }];
});

/** One authenticator per configuration, so that the keys are fetched once. */
const authenticators = new Map<string, Authenticate>();
const authenticatorOf = (context: Readonly<Record<string, string | undefined>>): Authenticate => {
  const name = JSON.stringify(context);
  const known =
    authenticators.get(name) ?? createAuthenticator({ ...configOf(context), issuer: issuer.issuer, now: Date.now });
  authenticators.set(name, known);
  return known;
};

/** Moves the times of a sample to the present. */
const atPresent = (payload: Fields): Fields => {
  const shift = Math.floor(Date.now() / 1000) - Number(payload.iat);
  const times = Object.entries(payload).filter(
    ([name, time]) => ["iat", "nbf", "exp", "auth_time"].includes(name) && time !== undefined,
  );
  return { ...payload, ...Object.fromEntries(times.map(([name, time]) => [name, Number(time) + shift])) };
};

/** What GET …/me answers for a recipe's token, signed by the test's issuer. @throws DomainError if it is refused */
const present = async (recipe: Recipe, { context, header, claims }: Difference = {}): Promise<CallerAccess> => {
  const defined = (fields: Fields) => JSON.parse(JSON.stringify(fields)) as Fields;
  const payload = defined({ iss: issuer.issuer, ...atPresent({ ...recipe.payload, iss: issuer.issuer, ...claims }) });
  const token = await issuer.sign(key, payload, defined({ ...recipe.header, kid: key.kid, ...header }));
  const caller = await authenticatorOf({ ...recipe.context, ...context })(`Bearer ${token}`);
  const { organizationId = "" } = caller;
  return describeCaller({ ...caller, organizationId }, defaultSettings);
};

/** The payload with another value of the claim that the name or path denotes. */
const withClaim = (payload: Fields, name: string, value: unknown): Fields => {
  const [step = "", ...rest] = Object.hasOwn(payload, name) ? [name] : name.split(".");
  const inner = rest.length === 0 ? value : withClaim(payload[step] as Fields, rest.join("."), value);
  return { ...payload, [step]: inner };
};

it("the page has a recipe for each provider", () => {
  expect(recipes.map(({ provider }) => provider)).toEqual([
    "Amazon Cognito",
    "Auth0",
    "Okta",
    "Microsoft Entra ID",
    "Keycloak",
    "Clerk",
    "WorkOS",
  ]);
});

it("the page quotes refusals as the service words them", () => {
  const sources = ["http/authenticate.ts", "http/admit.ts", "terms/caller.ts"].map((file) =>
    readFileSync(join(import.meta.dirname, "../../../shared", file), "utf8"),
  );
  expect(quotedRefusals.length).toBeGreaterThan(10);
  // An ellipsis stands for the name of a claim.
  const unknown = quotedRefusals.flatMap((quote) => quote.split("…")).filter((part) => !sources.join().includes(part));
  expect(unknown).toEqual([]);
});

describe.each(recipes)("a token of $provider", (recipe) => {
  const { issuer: iss, audience, claims } = configOf(recipe.context);
  const changed = (name: string, value: unknown) =>
    present({ ...recipe, payload: withClaim(recipe.payload, name, value) });

  it("is the sample of its recipe: it names the recipe's issuer, and gets the recipe's answer", async () => {
    expect(recipe.payload.iss).toBe(iss);
    await expect(present(recipe)).resolves.toEqual(recipe.answer);
  });

  const iat = Number(recipe.payload.iat);
  it.each<[what: string, claims: Fields, message: RegExp]>([
    ["of another issuer", { iss: `${iss}x` }, /issuer is not trusted/],
    ["for another audience", { aud: "another" }, /another audience/],
    ["for no audience", { aud: [] }, /another audience/],
    ["without any audience", { aud: undefined, client_id: undefined, azp: undefined }, /another audience/],
    ["that has expired", { exp: iat - 60 }, /expired/],
    ["that is not valid yet", { nbf: iat + 60 }, /not valid yet/],
    ["without exp", { exp: undefined }, /exp and iat are required/],
    ["of 25 hours", { exp: iat + 90_000 }, /longer than 24 hours/],
    ["with the hash of an access token", { at_hash: "h" }, /ID token/],
    ["of Cognito's type of ID tokens", { token_use: "id", aud: audience }, /ID token/],
    ["of Keycloak's type of ID tokens", { typ: "ID", aud: audience }, /ID token/],
    ["without a user", { sub: undefined }, /claim sub is not one identifier/],
    ["with a list of users", { sub: ["ada"] }, /is malformed/],
    ["with a session of two words", { sid: "a b" }, /claim sid is not one identifier/],
  ])("%s is refused", async (_what, overrides, message) => {
    await expect(present(recipe, { claims: overrides })).rejects.toThrow(message);
  });

  it("with a nonce is refused unless it states that it is an access token", async () => {
    const states = recipe.payload.token_use === "access" || recipe.payload.typ === "Bearer";
    const attempt = present(recipe, { claims: { nonce: "n" } });
    if (states) await expect(attempt).resolves.toEqual(recipe.answer);
    else await expect(attempt).rejects.toThrow("ID token");
    const typed = present(recipe, { header: { typ: "at+jwt" }, claims: { nonce: "n" } });
    await expect(typed).resolves.toEqual(recipe.answer);
  });

  it("has one organization, or none", async () => {
    const malformed = `claim ${claims.organization} is not one identifier`;
    for (const value of ["", "..", "two words", ["a", "b"], [], {}, null, 7]) {
      await expect(changed(claims.organization, value)).rejects.toThrow(malformed);
    }
    await expect(changed(claims.organization, "other")).resolves.toMatchObject({ organizationId: "other" });
    await expect(changed(claims.organization, ["other"])).resolves.toMatchObject({ organizationId: "other" });
    await expect(changed(claims.organization, undefined)).resolves.toMatchObject({ organizationId: "" });
  });

  it("has the most powerful of its known roles, and is a guest's with a note if none is known", async () => {
    const { roleMapping } = claims;
    const known = Object.keys(roleMapping).length === 0 ? [...roles] : Object.keys(roleMapping);
    const best = roles.find((role) => known.some((name) => (roleMapping[name] ?? name) === role));
    await expect(changed(claims.role, ["another", ...known].reverse())).resolves.toMatchObject({ role: best });
    for (const [value, note] of [
      [undefined, `The token has no claim ${claims.role}, so`],
      [["another"], `The token's claim ${claims.role} has no known role, so`],
      ["another", `The token's claim ${claims.role} has no known role, so`],
    ]) {
      const roleNote = expect.stringContaining(String(note));
      await expect(changed(claims.role, value)).resolves.toMatchObject({ role: "guest", permissions: [], roleNote });
    }
  });
});

describe("a documented token", () => {
  it.each(variants)("of $provider $what", async ({ provider, expected, ...difference }) => {
    const recipe = recipes.find((known) => known.provider === provider);
    if (recipe === undefined) throw new Error(`The page has no recipe for ${provider}.`);
    const attempt = present(recipe, difference);
    if (expected instanceof RegExp) await expect(attempt).rejects.toThrow(expected);
    else await expect(attempt).resolves.toMatchObject(expected);
  });
});
