/** Texts on which a regular expression with backtracking takes hours. The test passes if it completes. */

import { describe, expect, it } from "@jest/globals";
import { redactText } from "../../../../shared/security/redaction/redact-text.ts";
import { sampleOf } from "../../../support/depth.ts";

const LENGTH = 65_536;
const units = [
  "a",
  "a-",
  "a.",
  "1",
  "1 ",
  "1-",
  "1.",
  "4242 ",
  "4242424242424242",
  "0",
  "DE89",
  "DE89 3704 0044 ",
  "ibanDE89",
  "1.1.1.1.",
  "%",
  "%25",
  "%34",
  "%2525",
  "４２ ",
  " ",
  "\n",
  "\\",
  '\\"',
  '"',
  "[",
  "{",
  "eyJ",
  "eyJ-",
  "eyJaaaaaaaa.",
  "://",
  "://a@",
  "a@",
  "Bearer ",
  "bearer:",
  "-----BEGIN RSA PRIVATE KEY-----",
  "-----BEGIN ",
  "sk_live_",
  "_secret_",
  "cus_",
  "ab12cd34-",
  "2026-11-05",
  "account number ",
  "acct is ",
  "account_no=1 ",
  "api card client ",
  "password=",
  "key=",
  "key=[",
  "token=[",
  'token=["',
  'key="',
  "key='\"`",
  "key=a{",
  "token=,",
  "token=a,a",
  "token=;",
  "token:   ",
  "password=\\n",
  "<password>",
  "Authorization: a,",
  "Authorization: Bearer a,b=",
  'authorization=a,a="',
  "Cookie: a;",
  "[redacted:card]",
  "token=[redacted:card]",
  "npm_",
  "hooks.slack.com/services/",
  "aB3/",
  "1234567890123456|",
  "12345:A",
  "t1.a-",
  "ey-",
  "eyAaaaaaaaaaaaaaaaaaaa.",
  "sc_aaaaaa.",
  "aQ~1Q~",
  "a.atlasv1.",
  "SG.a ",
  "A3-AAAAA",
  "dapi0-us1",
];

describe("redaction of hostile texts", () => {
  // Compared without expect, which would print 64 KB.
  it.each(sampleOf(units, 20))("completes on 64 KB of %j, finds the key after it, and is idempotent", (unit) => {
    const once = redactText(`${unit.repeat(LENGTH / unit.length)} \n sk_live_51HqT7abc`);
    expect(once.includes("51HqT7abc")).toBe(false);
    expect(redactText(once) === once).toBe(true);
  });

  it.each(sampleOf(units, 20))("completes on 64 KB of %j in a value after a name", (unit) => {
    for (const start of ["key=[", 'password="']) {
      const once = redactText(start + unit.repeat(LENGTH / unit.length));
      expect(redactText(once) === once).toBe(true);
    }
  });
});
