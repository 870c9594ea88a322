import { describe, expect, it } from "@jest/globals";
import { createTextRedactor, recognisers } from "../../../../shared/security/redaction/redact-text.ts";

/** For each recogniser a secret that no other recogniser finds. */
const onlyFoundBy: Readonly<Record<string, readonly [text: string, secret: string]>> = {
  private_key: ["-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIIr\n-----END EC PRIVATE KEY-----", "MHcCAQEEIIr"],
  credentials: ["ftp://bob:hunter2@files.example", "hunter2"],
  jwt: ["got eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1In0.", "eyJzdWIiOiJ1In0"],
  api_key: ["no such key sk_live_4eC39HqL", "4eC39HqL"],
  webhook_secret: ["signed by whsec_5WbX5kEWLlfzsGNjH64I8lOOqUB6e8FH", "5WbX5kEWLlfzsGNjH64I8lOOqUB6e8FH"],
  oauth: ["exchanged ac_FqXb9dZ0cJ1kT2", "FqXb9dZ0cJ1kT2"],
  client_secret: ["confirmed pi_3Mtw_secret_YrKJUKribcBjcG8HVhfZ", "YrKJUKribcBjcG8HVhfZ"],
  aws_key: ["signed by AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"],
  vendor_key: ["pushed with ghp_16C7e42F292c6912E7710c838347Ae178B4a", "16C7e42F292c6912E7710c838347Ae178B4a"],
  webhook_url: ["sent to https://hooks.slack.com/services/T00000000/B00000000/xyz", "B00000000/xyz"],
  aws_secret: ["signed with wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "K7MDENG"],
  iban: ["paid from DE89370400440532013000", "DE89370400440532013000"],
  card: ["paid with 4242 4242 4242 4242", "4242 4242"],
  account: ["account number 12345678 is closed", "12345678"],
  "named value": ["password=hunter2", "hunter2"],
  authorization: ["sent Bearer 9f8e7d6c5b4a", "9f8e7d6c5b4a"],
};

describe("the recognisers", () => {
  it("each have an example", () => {
    expect(Object.keys(onlyFoundBy).sort()).toEqual(recognisers.map(({ name }) => name).sort());
  });

  it.each(recognisers)("are all necessary: $name", ({ name }) => {
    const [text, secret] = onlyFoundBy[name] ?? ["", ""];
    expect(createTextRedactor(recognisers)(text)).not.toContain(secret);
    expect(createTextRedactor(recognisers.filter((other) => other.name !== name))(text)).toBe(text);
  });
});
