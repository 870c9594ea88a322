/** SES of the local cloud with the functions' client, and the e-mails that it writes. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ListContactsCommand, type SESv2Client } from "@aws-sdk/client-sesv2";
import { beforeEach, describe, expect, it } from "@jest/globals";
import type { PolicyStatement } from "../../../../infra/local/core/model.ts";
import type { NewEvent } from "../../../../infra/local/events/event-buses.ts";
import { createMailFeedback } from "../../../../infra/local/events/mail-feedback.ts";
import { createSesService } from "../../../../infra/local/gateway/ses-service.ts";
import { createMailbox, type Mailbox } from "../../../../infra/local/mail/mailbox.ts";
import { createSesAccount, sesProblems } from "../../../../infra/local/mail/ses-account.ts";
import { createMailer, createSes } from "../../../../shared/runtime/mail.ts";
import { stackModel } from "../../../support/stack-model.ts";
import { newDirectory } from "../../../support/temporary-directory.ts";
import { startTestGateway } from "../../../support/test-gateway.ts";
import { usePerTest } from "../../../support/use-started.ts";

const identity = (name: string) => `arn:aws:ses:eu-central-1:000000000000:identity/${name}`;
const allow = (Resource: string | string[], Condition: PolicyStatement["Condition"] = {}): PolicyStatement => ({
  Effect: "Allow",
  Action: "ses:SendEmail",
  Resource,
  Condition,
});
const configurationSet = (name: string) => `arn:aws:ses:eu-central-1:000000000000:configuration-set/${name}`;
const fromSender = { StringEquals: { "ses:FromAddress": "alerts@example.com" } };
const both = [identity("alerts@example.com"), identity("example.com")];
const model = stackModel({
  roles: {
    sender: [allow([identity("*"), configurationSet("*")], fromSender)],
    domainOnly: [allow(identity("example.com"))],
    ownIdentities: [allow(both, fromSender)],
    allIdentities: [allow(identity("*"), fromSender)],
    ofSubdomain: [allow([identity("alerts@mail.example.com"), identity("mail.example.com")])],
    otherAddress: [allow("*", { StringEquals: { "ses:FromAddress": "news@example.com" } })],
    nobody: [],
  },
});

const NOW_MS = 1_800_000_000_000;

let directory: string;
let mailbox: Mailbox;
let account: ReturnType<typeof createSesAccount>;
let lines: string[];
let published: { bus: string; event: NewEvent }[];

const openMailbox = () => createMailbox({ directory, clock: { now: () => NOW_MS }, log: (line) => lines.push(line) });

beforeEach(() => {
  directory = join(newDirectory("ses-"), "mail");
  lines = [];
  published = [];
  mailbox = openMailbox();
  account = createSesAccount();
});
const configurationSets = [
  { name: "mails", events: [] },
  { name: "mails", events: (["bounce", "complaint"] as const).map((type) => ({ type, busName: "default" })) },
  { name: "silent", events: [] },
];
const feedback = createMailFeedback({
  model: { ...model, configurationSets },
  clock: { now: () => NOW_MS },
  buses: {
    publish: (bus, event) => {
      published.push({ bus, event });
      return "id";
    },
  },
});
const gateway = usePerTest(() =>
  startTestGateway(model, { services: { ses: createSesService({ model, mailbox, account, feedback }) } }),
);

const clientOf = (role: string): SESv2Client => gateway.clientOf(role, createSes);
const mailerOf = (role: string, sender = "alerts@example.com", configurationSetName?: string) =>
  createMailer(() => clientOf(role), { sender, configurationSet: configurationSetName });

const mail = {
  to: "ada@example.org",
  subject: "Brute force: 12 attempts on “zoë\u0007” — a long subject that needs more than one encoded word 🌵",
  html: "<p>Zoë</p>\n<p>See <a href='https://example.com/alerts'>the alert</a></p>",
  text: "Zoë\n\nSee https://example.com/alerts\n",
  headers: { "List-Unsubscribe": "<https://example.com/u>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" },
};
const request = { query: new URLSearchParams(), body: undefined };
const list = (box = mailbox) => box.routes["GET /mail"]?.({ ...request, parameters: {} });
const show = (id: string) => mailbox.routes["GET /mail/{id}"]?.({ ...request, parameters: { id } });

describe("SES of the local cloud", () => {
  it("writes each e-mail to a file, and shows it", async () => {
    const id = await mailerOf("sender").send(mail);
    expect(id).toBe("2027-01-15T08-00-00-1");
    expect(show(String(id))).toMatchObject({
      status: 200,
      body: {
        id,
        at: 1_800_000_000_000,
        from: "alerts@example.com",
        to: mail.to,
        subject: mail.subject,
        headers: mail.headers,
        text: mail.text,
        html: mail.html,
      },
    });
    expect(lines).toEqual([expect.stringMatching(/^MAIL to ada@example.org: "Brute force: .*zoë\\u0007.*eml\)$/)]);
  });

  it("writes MIME: short ASCII headers, CRLF, and text before HTML", async () => {
    await mailerOf("sender", "Alerts <alerts@example.com>").send({ ...mail, html: "x".repeat(2_000) });
    const [file = ""] = readdirSync(directory);
    const [head = "", ...parts] = readFileSync(join(directory, file), "utf8").split("\r\n\r\n");
    expect(head.split("\r\n").every((line) => /^[ -~]{1,78}$/.test(line))).toBe(true);
    expect(head).toContain('MIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary="');
    expect(head).toContain("From: Alerts <alerts@example.com>\r\nTo: ada@example.org\r\n");
    expect(head).toContain("Date: Fri, 15 Jan 2027 08:00:00 +0000\r\n");
    expect(parts[0]).toContain("Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit");
    // A line of a message has at most 998 bytes, so this HTML is encoded.
    expect(parts.join()).toContain("Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64");
  });

  it("lists the e-mails of earlier starts too, oldest first", async () => {
    for (let n = 0; n < 11; n++) await mailerOf("sender").send({ ...mail, subject: `number ${n}` });
    const subjects = Array.from({ length: 11 }, (_, n) => ({ subject: `number ${n}` }));
    expect(list(openMailbox())).toMatchObject({ status: 200, body: { mails: subjects } });
    expect(show("2027-01-15T08-00-00-12")).toMatchObject({ status: 404 });
    expect(show("../mail/2027-01-15T08-00-00-1")).toMatchObject({ status: 404 });
  });

  it.each([
    ["nobody", "alerts@example.com", identity("alerts@example.com")],
    ["domainOnly", "alerts@example.com", identity("alerts@example.com")],
    ["otherAddress", "alerts@example.com", identity("alerts@example.com")],
    // The account is in the sandbox.
    ["ownIdentities", "alerts@example.com", identity("ada@example.org")],
    // The sender's identity has a default configuration set.
    ["allIdentities", "alerts@example.com", configurationSet("default")],
    // The verified identity is the parent domain.
    ["ofSubdomain", "alerts@mail.example.com", identity("example.com")],
  ])("denies what the role of %s does not allow", async (role, sender, resource) => {
    await expect(mailerOf(role, sender).send(mail)).rejects.toMatchObject({ name: "AccessDeniedException" });
    expect(gateway.denials).toMatchObject([{ logicalId: role, action: "ses:SendEmail", resource }]);
    expect(list()).toEqual({ status: 200, body: { mails: [] } });
  });

  it.each([
    ["sandbox", "MessageRejected", "sender"],
    ["sender_not_verified", "MessageRejected", "sender"],
    ["mail_from_not_verified", "MailFromDomainNotVerifiedException", "sender"],
    ["identity_gone", "NotFoundException", "sender"],
    ["paused", "SendingPausedException", "sender"],
    ["suspended", "AccountSuspendedException", "sender"],
    ["denied", "AccessDeniedException", "sender"],
    ["quota", "TooManyRequestsException", "sender"],
    ["rate", "TooManyRequestsException", "service"],
  ])("refuses mails of an account with the problem %s, which the mailer understands", async (problem, name, fault) => {
    expect(sesProblems).toContain(problem);
    expect(account.routes["PUT /ses"]?.({ ...request, parameters: {}, body: { problem } })).toMatchObject({
      status: 200,
    });
    await expect(mailerOf("sender").send(mail)).rejects.toMatchObject({ name, fault, message: `SES: ${name}` });
    expect(list()).toEqual({ status: 200, body: { mails: [] } });
    account.routes["PUT /ses"]?.({ ...request, parameters: {}, body: { problem: null } });
    await expect(mailerOf("sender").send(mail)).resolves.toBeDefined();
  });

  it("takes mails to verified recipients in the sandbox, and knows no other problems", async () => {
    account.routes["PUT /ses"]?.({ ...request, parameters: {}, body: { problem: "sandbox" } });
    await expect(mailerOf("sender").send({ ...mail, to: "ada@example.com" })).resolves.toBeDefined();
    const answer = account.routes["PUT /ses"]?.({ ...request, parameters: {}, body: { problem: "slow" } });
    expect(answer).toMatchObject({ status: 400 });
    expect(account.routes["GET /ses"]?.({ ...request, parameters: {} })).toMatchObject({
      body: { problem: "sandbox" },
    });
  });

  it.each([
    ["gone@bounce.example", "Email Bounced", { bounce: { bounceType: "Permanent", bounceSubType: "General" } }],
    [
      "transient.1@bounce.example",
      "Email Bounced",
      { bounce: { bounceType: "Transient", bounceSubType: "MailboxFull" } },
    ],
    ["ada@complaint.example", "Email Complaint Received", { complaint: { complaintFeedbackType: "abuse" } }],
  ])(
    "publishes what becomes of a mail to %s, with the mail's tags, as the configuration set says",
    async (to, detailType, detail) => {
      const tags = { destination: "01D", "organization-0": "YWNtZQ" };
      const messageId = await mailerOf("sender", undefined, "mails").send({ ...mail, to, tags });
      const timestamp = new Date(NOW_MS).toISOString();
      const about = { messageId, timestamp, source: "alerts@example.com", destination: [to] };
      const ownTags = { "ses:configuration-set": ["mails"], destination: ["01D"], "organization-0": ["YWNtZQ"] };
      const [kind = "", what = {}] = Object.entries(detail)[0] ?? [];
      const expected = { mail: { ...about, tags: ownTags }, [kind]: { ...what, timestamp } };
      expect(published).toMatchObject([{ bus: "default", event: { source: "aws.ses", detailType, detail: expected } }]);
      for (const set of [undefined, "silent"]) await mailerOf("sender", undefined, set).send({ ...mail, to, tags });
      await mailerOf("sender", undefined, "mails").send({ ...mail, to: "ada@example.org", tags });
      expect(published).toHaveLength(1);
    },
  );

  it("knows the configuration sets of the template, and asks for the right to use them", async () => {
    await expect(mailerOf("sender", undefined, "other").send(mail)).rejects.toMatchObject({
      name: "NotFoundException",
      fault: "sender",
    });
    await expect(mailerOf("allIdentities", undefined, "mails").send(mail)).rejects.toMatchObject({
      name: "AccessDeniedException",
    });
    expect(gateway.denials).toMatchObject([{ resource: configurationSet("mails") }]);
  });

  it("refuses headers that SES refuses, and other operations", async () => {
    const send = (headers: Record<string, string>) => mailerOf("sender").send({ ...mail, headers });
    await expect(send({ Bcc: "eve@example.org" })).rejects.toMatchObject({
      name: "BadRequestException",
      fault: "mail",
    });
    await expect(send({ "X-A": "a\r\nBcc: eve@example.org" })).rejects.toMatchObject({ name: "AccessDeniedException" });
    const contacts = clientOf("sender").send(new ListContactsCommand({ ContactListName: "all" }));
    await expect(contacts).rejects.toMatchObject({ name: "AccessDeniedException" });
    expect(list()).toEqual({ status: 200, body: { mails: [] } });
  });
});
