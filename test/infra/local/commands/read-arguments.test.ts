import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { readArguments } from "../../../../infra/local/commands/read-arguments.ts";
import { newDirectory } from "../../../support/temporary-directory.ts";

const INTEGRATION = "/api/integrations/provider";
const read = (...args: string[]) => {
  const ask = readArguments(args);
  if (ask === undefined) throw new Error("help was asked for");
  return ask;
};

describe("the arguments of npm run ask", () => {
  it.each([
    [["/plants"], "GET", "api", "/plants", undefined],
    [["get", "/plants", "limit=1"], "GET", "api", "/plants?limit=1", undefined],
    [["security"], "GET", "api", `${INTEGRATION}/security`, undefined],
    [["security?limit=1", "userId=a b&c"], "GET", "api", `${INTEGRATION}/security?limit=1&userId=a%20b%26c`, undefined],
    [["/plants", '{"id":9007199254740993}'], "POST", "api", "/plants", '{"id":9007199254740993}'],
    [["/plants", "-d", '{"id":1}'], "POST", "api", "/plants", '{"id":1}'],
    [["PUT", "settings", "{}"], "PUT", "api", `${INTEGRATION}/settings`, "{}"],
    [["POST", "sync"], "POST", "api", `${INTEGRATION}/sync`, undefined],
    [["control:/clock/advance", '{"ms":1}'], "POST", "control", "/clock/advance", '{"ms":1}'],
    [["provider:/v1/customers", "limit=1"], "GET", "provider", "/v1/customers?limit=1", undefined],
    [["security", "#", "403"], "GET", "api", `${INTEGRATION}/security`, undefined],
  ])("reads %j", (args, method, server, path, body) => {
    expect(read(...args)).toMatchObject({ method, server, path, body });
  });

  it.each([
    [[], "demo/admin/ada"],
    [["--as", "acme"], "acme/admin/ada"],
    [["--as", "acme/guest"], "acme/guest/ada"],
    [["--as", "acme/guest/eve"], "acme/guest/eve"],
    [["--as", "acme/guest/eve", "--role", "billing"], "acme/billing/eve"],
    [["--as", "/member/eve"], "/member/eve"],
  ])("names the caller of %j", (args, name) => {
    const [organizationId, role, userId] = name.split("/");
    const { caller } = read("/plants", ...args);
    expect(caller).toMatchObject({ name, token: { role, userId, organizationId: organizationId || undefined } });
  });

  it("takes options of the token as the token command does", () => {
    const { caller } = read("/plants", "--expires-in", "-120", "--claim", "sid=s1");
    expect(caller?.token).toMatchObject({ expiresInSeconds: -120, claims: { sid: "s1" } });
  });

  it.each([["--no-token"], ["--token=abc"], ["-Hauthorization: Bearer abc"]])("mints no token with %s", (arg) => {
    expect(read("/plants", arg).caller).toBeUndefined();
  });

  it("sends no token to another server than the API", () => {
    expect(read("control:/").caller).toBeUndefined();
  });

  it("sends JSON unless a header names another type, and asks for HTML in a file that ends with .html", () => {
    expect(read("/plants", "{}", "-H", "Idempotency-Key: a:b").headers).toEqual(
      new Headers({ "content-type": "application/json", "idempotency-key": "a:b", "user-agent": "ask" }),
    );
    const form = read("provider:/v1/customers", "name", "-H", "content-type: application/x-www-form-urlencoded");
    expect([form.body, form.headers.get("content-type")]).toEqual(["name", "application/x-www-form-urlencoded"]);
    expect(read("reports/1", "-o", "a.html").headers.get("accept")).toBe("text/html");
  });

  it("reads a body from a file", () => {
    const file = join(newDirectory("ask-"), "plant.json");
    writeFileSync(file, '{"id":1}');
    expect(read("/plants", `@${file}`).body).toBe('{"id":1}');
  });

  it.each([
    [["GETT", "/plants"], "GETT is no method: expected GET, POST, PUT"],
    [["GET"], "the path is missing"],
    [["--as", "acme"], "the path is missing"],
    [["/plants", "{id:1}"], "the body is not valid JSON: "],
    [["/plants", "acme"], "acme is neither NAME=VALUE nor JSON. Options need -- before the arguments"],
    [["/plants", '{"id":', "1}"], "2 bodies are given: put the body in single quotes"],
    [["GET", "/plants", "{}"], "GET takes no body"],
    [["/plants", "@/nowhere"], "the body cannot be read from /nowhere: ENOENT"],
    [["/plants", "--as", "acme/boss"], "there is no role boss: expected admin, billing, member, guest"],
    [["/plants", "--as", "a/admin/b/c"], "--as a/admin/b/c: expected ORGANIZATION/ROLE/USER"],
    [["/plants", "-H", "nothing"], "--header nothing: expected 'NAME: VALUE'"],
    [["/plants", "--expires-in", "soon"], "--expires-in soon: expected whole seconds"],
    [["contrl:/clock"], "there is no server contrl: expected api:, control:"],
    [["http://example.com/plants"], "http://example.com/plants: expected a path such as /plants"],
    [["/plants", "--orgs", "acme"], "--orgs"],
  ])("refuses %j in one line", (args, message) => {
    expect(() => readArguments(args)).toThrow(message);
    expect(() => readArguments(args)).toThrow(/^[^\n]+$/);
  });

  it("asks for help without arguments", () => {
    expect([readArguments([]), readArguments(["--help"]), readArguments(["/plants", "-h"])]).toEqual(
      Array(3).fill(undefined),
    );
  });
});
