import { describe, expect, it } from "@jest/globals";
import { redactedAnswer, type SentRequest } from "../../../../shared/notifications/sending/redacted-answer.ts";
import { depth } from "../../../support/depth.ts";
import { createRandom } from "../../../support/random.ts";

const sentTo = (url: string, rest: Partial<SentRequest> = {}): SentRequest => ({ url, headers: {}, body: "", ...rest });
const slack = ["slack", sentTo("https://hooks.slack.com/services/T0000001/B0000001/SeCrEtSeCrEt")] as const;
const webhook = ["webhook", sentTo("https://example.com/hook/path?token=abcdef")] as const;

describe("an answer in the log", () => {
  it.each<[string, readonly ["slack" | "webhook", SentRequest], string]>([
    ["no_service", slack, "no_service"],
    ["Cannot POST /services/T0000001/B0000001/SeCrEtSeCrEt", slack, "Cannot POST [redacted:url]"],
    ["unknown SeCrEtSeCrEt", slack, "unknown [redacted:url]"],
    ["POST /hook/path?token=abcdef", webhook, "POST /hook/path[redacted:url]"],
    ["token abcdef", webhook, "token [redacted:url]"],
    ["card 4111 1111 1111 1111 refused", webhook, "card [redacted:card] refused"],
    ["a\u0000\u001b[2Jb\u202e", webhook, "a\ufffd\ufffd[2Jb\ufffd"],
    ["", webhook, ""],
  ])("%j", (body, [type, sent], expected) => expect(redactedAnswer(body, type, sent)).toBe(expected));

  it("has at most 256 characters", () => {
    expect([...redactedAnswer("é ".repeat(35_000), ...slack)]).toHaveLength(256);
    expect([...redactedAnswer("é ".repeat(1_000), ...slack)]).toHaveLength(256);
  });

  it("has nothing of the headers and the body that it repeats, in whatever pieces", () => {
    const headers = { "webhook-id": "01DEST_01DELIVERY", "webhook-signature": "v1,AAAABBBBCCCC= v1,DDDDEEEEFFFF=" };
    const body = JSON.stringify({ data: { alert: { title: "Ada signed in from 192.0.2.1" } } });
    const sent = sentTo("https://example.com/", { headers, body });
    const answer = `got ${headers["webhook-id"]}, DDDDEEEEFFFF=, ${JSON.stringify(body)}; Ada signed in; thank you`;
    const shown = redactedAnswer(answer, "webhook", sent);
    expect(shown).toMatch(/^got \[redacted:request\], \[redacted:request\], /);
    expect(shown).toMatch(/thank you$/);
    expect(shown).not.toMatch(/01DEST|DDDD|Ada|alert|192/);
  });

  it("is not marked where it only resembles the request", () => {
    const sent = sentTo("https://example.com/hook?token=abcdefghij", { body: '{"level":"HIGH"}' });
    expect(redactedAnswer('{"error":"level is unknown"}', "webhook", sent)).toBe('{"error":"level is unknown"}');
  });

  const random = createRandom(20_261_127);
  const secretOf = (length: number) =>
    Array.from({ length }, () => "abcdefghjkmnpqrstuvwxyz23456789"[Math.floor(random() * 31)]).join("");

  it.each([240, 700, 2_000])("has no piece of a secret of %i characters, wherever it begins and is cut", (length) => {
    const secret = secretOf(length);
    const pieces = new Set(Array.from({ length: length - 3 }, (_, at) => secret.slice(at, at + 4)));
    const sent = sentTo(`https://example.com/hook?key=${secret}`);
    const leaks: number[] = [];
    const step = depth(11, 1);
    for (let offset = 0; offset <= 4_100; offset += step * (offset < 260 || offset > 4_000 ? 1 : 13)) {
      // Twice: marks are shorter than what they replace, so later text moves towards the beginning.
      const repeated = secret.repeat(Math.floor(3_900 / length));
      for (const body of [
        `${"-".repeat(offset)}${secret}.`,
        `${repeated}${"-".repeat(offset % 300)}${secret.repeat(2)}`,
      ]) {
        const shown = redactedAnswer(body, "webhook", sent).replaceAll(/\[redacted:url\]|\[redacted.*$/g, "-");
        for (let at = 0; at + 4 <= shown.length; at++) if (pieces.has(shown.slice(at, at + 4))) leaks.push(offset);
      }
    }
    expect(leaks).toEqual([]);
  });
});
