import { describe, expect, it } from "@jest/globals";
import { checkUrl, requireTimes } from "../../../shared/notifications/check-request.ts";
import { DestinationChangeRequest, DestinationRequest } from "../../../shared/notifications/destination.ts";
import { rollSecrets, signingSecrets } from "../../../shared/notifications/destination-secrets.ts";

const urlOf = (characters: number): string => "https://soc.example/".padEnd(characters, "a");
const webhook = { type: "webhook", name: "SOC", url: "https://soc.example/hook" };
const email = { type: "email", name: "On call", address: "oncall@example.com" };
const quietHours = { from: "22:00", to: "07:00", timeZone: "Europe/Berlin" };

const problemOf = (body: unknown): string => {
  const { error } = DestinationRequest.safeParse(body);
  const [issue] = error?.issues ?? [];
  return issue === undefined ? "" : `${issue.path.join(".")}: ${issue.message}`;
};

describe("the body of a new destination", () => {
  it("gets the defaults of missing fields", () => {
    expect(DestinationRequest.parse(webhook)).toEqual({ ...webhook, filter: {} });
    expect(DestinationRequest.parse({ ...email, quietHours, digest: { every: "day" } })).toEqual({
      ...email,
      filter: {},
      quietHours: { ...quietHours, exceptCritical: true },
      digest: { every: "day", at: "08:00", timeZone: "UTC" },
    });
  });

  it("takes a URL of 2,048 characters", () => {
    const body = { ...webhook, url: urlOf(2_048) };
    expect(problemOf(body)).toBe("");
    expect(checkUrl("webhook", body.url, { policy: "public", ownHosts: [] }).url).toBe(body.url);
  });

  it("leaves out fields of other types", () => {
    expect(DestinationRequest.parse({ ...webhook, reports: ["daily"], address: "a@example.com" })).toEqual({
      ...webhook,
      filter: {},
    });
  });

  it.each<[string, unknown, RegExp]>([
    ["no type", { name: "x" }, /expected one of the types/],
    ["another type", { ...webhook, type: "pager" }, /expected one of the types/],
    ["an empty name", { ...webhook, name: "" }, /^name: expected a text of 1 to 100 characters/],
    ["a long name", { ...webhook, name: "x".repeat(101) }, /^name:/],
    ["another scheme", { ...webhook, url: "ftp://soc.example" }, /^url: expected an https URL/],
    ["a URL with a space", { ...webhook, url: "https://soc.example/a b" }, /^url:/],
    ["a URL with a line end", { ...webhook, url: "https://soc.example/a\n" }, /^url:/],
    ["a URL of 2,049 characters", { ...webhook, url: urlOf(2_049) }, /^url: expected an https URL of at most 2048 /],
    ["no URL", { type: "slack", name: "x" }, /^url:/],
    ["an address with a name", { ...email, address: "Ada <ada@example.com>" }, /^address: expected an e-mail address/],
    ["an address with a header", { ...email, address: "ada@example.com\r\nBcc: eve@example.com" }, /^address:/],
    ["two addresses", { ...email, address: "ada@example.com,eve@example.com" }, /^address:/],
    ["an address of a host alone", { ...email, address: "ada@localhost" }, /^address:/],
    ["an address of an IP address", { ...email, address: "ada@127.0.0.1" }, /^address:/],
    ["a long local part", { ...email, address: `${"a".repeat(65)}@example.com` }, /^address:/],
    ["a level in lower case", { ...webhook, filter: { levels: ["high"] } }, /^filter\.levels\.0: expected one of LOW/],
    ["no level", { ...webhook, filter: { levels: [] } }, /^filter\.levels: expected a list of 1 to 4 levels/],
    ["a level twice", { ...webhook, filter: { levels: ["LOW", "LOW"] } }, /^filter\.levels: .* each once/],
    ["a rule with a space", { ...webhook, filter: { rules: ["a b"] } }, /^filter\.rules\.0: expected the name/],
    [
      "another change",
      { ...webhook, filter: { changes: ["repeated"] } },
      /^filter\.changes\.0: expected one of raised/,
    ],
    ["an hour 24", { ...webhook, quietHours: { ...quietHours, from: "24:00" } }, /^quietHours\.from: expected a time/],
    ["no zone", { ...webhook, quietHours: { from: "22:00", to: "07:00" } }, /^quietHours\.timeZone: expected the name/],
    ["an offset", { ...webhook, quietHours: { ...quietHours, timeZone: "+02:00" } }, /^quietHours\.timeZone:/],
    ["another digest", { ...webhook, digest: { every: "week" } }, /^digest\.every: expected one of hour, day/],
    ["another report", { ...email, reports: ["yearly"] }, /^reports\.0: expected one of daily, weekly, monthly/],
  ])("is refused with %s", (_, body, expected) => {
    expect(problemOf(body)).toMatch(expected);
  });

  it.each(["a.b+c@mail.example.co", "o'neil@example.com", "x@xn--bcher-kva.example"])(
    "takes the address %s",
    (address) => {
      expect(DestinationRequest.safeParse({ ...email, address }).success).toBe(true);
    },
  );
});

describe("times", () => {
  it.each<[string, object, string]>([
    ["an unknown zone", { quietHours: { ...quietHours, timeZone: "Mars/Base" } }, "quietHours.timeZone: expected"],
    ["an unknown zone of a digest", { digest: { every: "day", timeZone: "Nowhere" } }, "digest.timeZone: expected"],
    ["no quiet time", { quietHours: { ...quietHours, to: "22:00" } }, "quietHours.to: expected another time"],
  ])("are refused with %s", (_, fields, message) => {
    expect(() => requireTimes(DestinationRequest.parse({ ...webhook, ...fields }))).toThrow(message);
  });

  it.each(["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires"])("take the zone %s", (timeZone) => {
    const body = { ...webhook, quietHours: { ...quietHours, timeZone }, digest: { every: "day", timeZone } };
    expect(() => requireTimes(DestinationRequest.parse(body))).not.toThrow();
  });
});

const publicOnly = { policy: "public", ownHosts: ["api.example.com"] } as const;

describe("a URL", () => {
  it("of a webhook is shown without its query, and of a chat without its path", () => {
    const url = "https://hooks.example.com/services/T0/B0?key=secret";
    expect(checkUrl("webhook", url, publicOnly).target).toBe("https://hooks.example.com/services/T0/B0");
    expect(checkUrl("slack", url, publicOnly)).toEqual({ url, target: "hooks.example.com/…" });
    expect(checkUrl("teams", url, publicOnly).target).toBe("hooks.example.com/…");
  });

  it.each([
    "http://soc.example.com/",
    "https://user:pass@soc.example.com/",
    "https://soc.example.com/#part",
    "https://localhost/",
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://[::1]/",
    "https://169.254.169.254/latest/meta-data/",
    "https://10.0.0.1/",
    "https://api.example.com/plants",
    "https://soc.example.com:22/",
  ])("is refused: %s", (url) => {
    expect(() => checkUrl("webhook", url, publicOnly)).toThrow(/^url: must/);
  });

  it("of this machine is taken by local runs", () => {
    const local = { policy: "loopback", ownHosts: [] } as const;
    expect(checkUrl("webhook", "http://127.0.0.1:8080/hook", local).target).toBe("http://127.0.0.1:8080/hook");
  });
});

describe("the body of a change", () => {
  it("needs a name only", () => {
    expect(DestinationChangeRequest.parse({ name: "SOC" })).toEqual({ name: "SOC", filter: {} });
  });

  it("cannot set the status unconfirmed", () => {
    expect(DestinationChangeRequest.safeParse({ name: "SOC", status: "unconfirmed" }).success).toBe(false);
  });
});

describe("a signing secret that was replaced", () => {
  it("signs beside the new one for 24 hours, and not longer", () => {
    const [now, day] = [1_795_262_430_000, 86_400_000];
    const rolled = rollSecrets([{ secret: "first" }], "second", now);
    expect(signingSecrets(rolled, now + day - 1)).toEqual(["second", "first"]);
    expect(signingSecrets(rolled, now + day)).toEqual(["second"]);
    const again = rollSecrets(rolled, "third", now + day);
    expect(again).toEqual([{ secret: "third" }, { secret: "second", validUntil: now + 2 * day }]);
  });
});
