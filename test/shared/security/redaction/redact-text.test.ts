import { describe, expect, it } from "@jest/globals";
import { redactText } from "../../../../shared/security/redaction/redact-text.ts";

/** The text, and the expected result. */
const goes: readonly (readonly [text: string, redacted: string])[] = [
  // Card numbers
  ["card 4242424242424242 was declined", "card [redacted:card] was declined"],
  ["4242 4242 4242 4242", "[redacted:card]"],
  ["4000-0566-5566-5556.", "[redacted:card]."],
  ["5555.5555.5555.4444", "[redacted:card]"],
  ["amex 3782 822463 10005, diners 3056 9309 0259 04", "amex [redacted:card], diners [redacted:card]"],
  ["maestro 6759649826438453 / unionpay 6205 5000 0000 0000 004", "maestro [redacted:card] / unionpay [redacted:card]"],
  ["PAN4242424242424242EXP1230", "PAN4242424242424242EXP1230"],
  ["PAN4242424242424242x", "PAN[redacted:card]x"],
  ["4242-4242 4242.4242 and 200 ms", "[redacted:card] and 200 ms"],
  ["4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2", "[redacted:card]"],
  ["2 of 4242 4242 4242 4242 123", "2 of [redacted:card] 123"],
  ["at 1700000000000 4242 4242 4242 4242", "at 1700000000000 [redacted:card]"],
  ["％４２４２４２４２４２４２４２４２", "%[redacted:card]"],
  ["a\\n4242424242424242\\nb", "a\\n[redacted:card]\\nb"],
  ["%B4242424242424242^DOE/J^25121010000", "%B[redacted:card]^DOE/J^25121010000"],
  ["https://x.example/pay?n=4242%204242%204242%204242", "https://x.example/pay?n=[redacted:card]"],
  ["https://x.example/pay/4242+4242+4242+4242/x", "https://x.example/pay/[redacted:card]/x"],
  ["%2534%2532%2534%2532424242424242", "[redacted:card]"],
  // Bank accounts
  ["IBAN: DE89 3704 0044 0532 0130 00 was refused", "IBAN: [redacted:iban] was refused"],
  ["gb82west12345698765432", "[redacted:iban]"],
  ["NO93-8601-1117-947, MT84MALT011000012345MTLCAST001S", "[redacted:iban], [redacted:iban]"],
  ["account number 12345678, sort code 12-34-56", "account number [redacted:account], sort code [redacted:account]"],
  ["account_number: 12345678", "account_number: [redacted:account]"],
  ["Routing no. 021000021 is closed", "Routing no. [redacted:account] is closed"],
  ['{"accountNumber":12345678,"amount":100}', '{"accountNumber":[redacted:account],"amount":100}'],
  // Credentials in headers and URLs
  ["Authorization: Bearer abc failed with 401", "Authorization: [redacted:authorization] failed with 401"],
  ["authorization=opaque-value&n=1", "authorization=[redacted:authorization]&n=1"],
  ["curl -H 'Authorization: Basic dXNlcjpwYXNz' /v1", "curl -H 'Authorization: [redacted:authorization]' /v1"],
  ["sent Bearer 9f8e7d6c5b", "sent Bearer [redacted:authorization]"],
  ['Proxy-Authorization: Digest username="u", response="r"; x', "Proxy-Authorization: [redacted:authorization]; x"],
  ["Cookie: sid=abc; theme=dark\nnext", "Cookie: [redacted:cookie]\nnext"],
  ["Set-Cookie: sid=abc; Path=/; HttpOnly", "Set-Cookie: [redacted:cookie]"],
  ["https://user:p@ss@db.example/x", "https://[redacted:credentials]@db.example/x"],
  ["postgres://app:hunter2@db:5432/x", "postgres://[redacted:credentials]@db:5432/x"],
  ["/cb?code=abc123&state=s", "/cb?code=[redacted:token]&state=s"],
  ["/x?X-Amz-Signature=0a1b&X-Amz-Date=2026", "/x?X-Amz-Signature=[redacted:signature]&X-Amz-Date=2026"],
  ["next=https%3A%2F%2Fx%2F%3Ftoken%3Dabc", "next=https://x/?token=[redacted:token]"],
  ["%22apiKey%22%3A%22hunter2%22", '"apiKey":"[redacted:key]"'],
  // Keys and tokens by their format
  ["No such key: sk_live_51HqT_abc", "No such key: [redacted:api_key]"],
  ["rk_test_a1 pk_live_b2 sk_test_bad", "[redacted:api_key] [redacted:api_key] [redacted:api_key]"],
  ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "[redacted:webhook_secret]"],
  ["ac_FqXb9dZ0 then rt_FqXb9dZ0", "[redacted:oauth] then [redacted:oauth]"],
  ["pi_3Mtw_secret_YrKJUKribcBjcG8HVhfZluoGH", "pi_3Mtw[redacted:client_secret]"],
  ["jwt eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ1In0.c2ln end", "jwt [redacted:jwt] end"],
  ["AKIAIOSFODNN7EXAMPLE", "[redacted:aws_key]"],
  ["ghp_16C7e42F292c6912E7710c838347Ae178B4a", "[redacted:vendor_key]"],
  ["-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----\nx", "[redacted:private_key]\nx"],
  ["key: -----BEGIN PRIVATE KEY-----\nMIIE cut", "key: [redacted:private_key]"],
  // Values after names
  ["password=hunter2, user=bob", "password=[redacted:password], user=bob"],
  ["login failed (db_password: s3cret)", "login failed (db_password: [redacted:password])"],
  ["token=abc,amount=100", "token=[redacted:token],amount=100"],
  ["api key: abcd1234 x", "api key: [redacted:key] x"],
  ["{ clientSecret: 'a b c', amount: 100 }", "{ clientSecret: '[redacted:secret]', amount: 100 }"],
  ["<password>hunter2</password>", "<password>[redacted:password]</password>"],
  ["card[cvc]=123&card[exp_year]=2030", "card[cvc]=[redacted:cvc]&card[exp_year]=2030"],
  ['{"apiKey":"hunter2","amount":1200', '{"apiKey":"[redacted:key]","amount":1200'],
  [
    '{"a":"{\\"password\\":\\"x\\\\\\"y\\",\\"n\\":1}"}',
    '{"a":"{\\"password\\":\\"[redacted:password]\\",\\"n\\":1}"}',
  ],
  ['{"tokens":["a]b",{"c":"d"}],"n":1}', '{"tokens":[redacted:token],"n":1}'],
  ['{"password":"cut off', '{"password":"[redacted:password]'],
  ["token: Bearer abc", "token: [redacted:token]"],
];

const stays: readonly string[] = [
  "",
  "an error occurred",
  // Times and dates
  "retry at 1700000000000, now 1699999999000",
  "1762300000005",
  "took 523 ms since 2026-11-05T12:34:56.789Z",
  "backup-20261105123456.json",
  "1700000000000.123",
  // Ids
  "47223179-9330-4259-b66c-f2db26efb20c",
  "0192f0aa-7c1e-7cc3-98a1-0242ac120002",
  "01ARZ3NDEKTSV4RRFFQ69G5FAV",
  "cus_4242424242424242 in_1MtHbELkdIwHu7ixl4OzzPMv acct_1032D82eZvKYlo2C evt_1NG8Du2eZvKYlo2CUI79vXWy",
  "Root=1-67891233-abcdef012345678912345678",
  "JKJaXmPLvHcESHA=",
  "org_2abcDEFghij0123456789",
  "arn:aws:secretsmanager:eu-central-1:123456789012:secret:oauth-AbCdEf",
  "google-oauth2|103547991597142817347",
  // Addresses and agents
  "from 192.168.100.200 443",
  "2001:db8:4242:4242:4242:4242:4242:4242",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.6478.127 Safari/537.36",
  // Other numbers
  "amount 4242424242424243 of 12,345.67 EUR",
  "0000000000000000",
  "card ending in 4242",
  "DE00 3704 0044 0532 0130 00",
  // Prose about secrets, including our own validation messages
  "token: expected a JWT",
  "webhookSecret: expected a text of 1 to 200 characters",
  "Bearer token required",
  "Basic authentication is not supported",
  'WWW-Authenticate: Bearer error="invalid_token"',
  "PROVIDER_TOKEN_REFRESH: 3",
  "tokenExpiresAt=1762300000000&token_type=bearer",
  "grant_type=refresh_token",
  "errorCode: invalid_request",
  "start_time part_2 task_test_runner",
  "100% of 50%",
];

describe("redactText", () => {
  it.each(goes)("%s", (text, redacted) => {
    expect(redactText(text)).toBe(redacted);
    expect(redactText(redacted)).toBe(redacted);
  });

  it.each(stays)("leaves %s", (text) => {
    expect(redactText(text)).toBe(text);
  });
});
