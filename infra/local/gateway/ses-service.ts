import * as z from "zod";
import type { StackModel } from "../core/model.ts";
import type { MailFeedback } from "../events/mail-feedback.ts";
import type { Mailbox } from "../mail/mailbox.ts";
import type { SesAccount } from "../mail/ses-account.ts";
import { type AwsService, errorAnswer, jsonAnswer } from "./service.ts";

const Text = z.strictObject({ Data: z.string(), Charset: z.literal("UTF-8") });

/** Printable ASCII. Source: https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_MessageHeader.html */
const Header = z.strictObject({
  Name: z.string().regex(/^[!-9;-~]{1,126}$/),
  Value: z.string().regex(/^[ -~]{1,870}$/),
});

/** Without line breaks, which would begin another header. */
const address = z.string().regex(/^[^\s<>@]+@[^\s<>@]+$/);
const Sender = z.string().regex(/^([^\r\n<>]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/);

/** https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_MessageTag.html */
const Tag = z.strictObject({
  Name: z.string().regex(/^[A-Za-z0-9_-]{1,256}$/),
  Value: z.string().regex(/^[A-Za-z0-9_-]{1,256}$/),
});

/** SendEmail, strict: a parameter that is not supported, such as a template, must not be ignored. */
const SendEmail = z.strictObject({
  FromEmailAddress: Sender,
  ConfigurationSetName: z.string().optional(),
  EmailTags: z.array(Tag).default([]),
  Destination: z.strictObject({ ToAddresses: z.array(address).min(1).max(50) }),
  Content: z.strictObject({
    Simple: z.strictObject({
      Subject: Text,
      Body: z.strictObject({ Text: Text.optional(), Html: Text.optional() }),
      Headers: z.array(Header).max(15).default([]),
    }),
  }),
});

/** Headers that SES writes, and refuses in a request. */
const OWN_HEADERS = ["from", "to", "cc", "bcc", "subject", "date", "message-id", "mime-version", "content-type"];

/** Splits `Name <address>`. */
const senderIn = (from: string): { name: string; address: string } => {
  const [, name, inBrackets] = /^(.*?)\s*<([^<>]+)>$/.exec(from) ?? [];
  return { name: name ?? "", address: inBrackets ?? from };
};

/** The domain of an address and the parent domains, each of which may be the identity that SES has verified. */
const domainsOf = (sender: string): string[] => {
  const labels = sender.slice(sender.indexOf("@") + 1).split(".");
  return labels.slice(0, Math.max(1, labels.length - 1)).map((_label, index) => labels.slice(index).join("."));
};

/**
 * SES (version 2 of the API): SendEmail with simple content, which becomes a file. Every other operation is denied.
 *
 * The role must allow all resources on which SES may authorize a mail. Which ones SES takes depends on the account:
 * - the sender's identity, which is the address, its domain or a parent domain:
 *   https://docs.aws.amazon.com/ses/latest/dg/creating-identities.html
 * - in the sandbox, the recipient's identity: https://github.com/cloudposse/terraform-aws-ses/issues/40
 * - the configuration set of the mail, or the default one of the identity: https://github.com/aws/aws-cdk/issues/34402
 */
export const createSesService = (options: {
  model: Pick<StackModel, "region" | "accountId">;
  mailbox: Pick<Mailbox, "deliver">;
  account: Pick<SesAccount, "refusalOf">;
  feedback: MailFeedback;
}): AwsService => {
  const { model, mailbox, account, feedback } = options;
  const arnOf = (resource: string) => `arn:aws:ses:${model.region}:${model.accountId}:${resource}`;
  const identity = (name: string) => arnOf(`identity/${name}`);
  const configurationSet = (name: string) => arnOf(`configuration-set/${name}`);
  return {
    checks: ({ operation, json }) => {
      const { data } = SendEmail.safeParse(json);
      if (data === undefined || operation !== "POST /v2/email/outbound-emails") return undefined;
      const { name, address: sender } = senderIn(data.FromEmailAddress);
      const { ToAddresses: recipients } = data.Destination;
      const context = {
        "ses:FromAddress": [sender],
        "ses:FromDisplayName": [name],
        "ses:Recipients": recipients,
      };
      const { ConfigurationSetName: setName = "default" } = data;
      const resources = [...[sender, ...domainsOf(sender), ...recipients].map(identity), configurationSet(setName)];
      return resources.map((resource) => ({ action: "ses:SendEmail", resource, context }));
    },
    answer: async ({ json }) => {
      const {
        FromEmailAddress,
        Destination,
        Content,
        ConfigurationSetName: setName,
        EmailTags,
      } = SendEmail.parse(json);
      const { Subject, Body, Headers } = Content.Simple;
      const own = Headers.find(({ Name }) => OWN_HEADERS.includes(Name.toLowerCase()));
      if (own !== undefined) return errorAnswer(400, "BadRequestException", `Header ${own.Name} is not allowed.`);
      if (Body.Text === undefined && Body.Html === undefined)
        return errorAnswer(400, "BadRequestException", "The body of the message has neither text nor HTML.");
      const { ToAddresses: recipients } = Destination;
      const refusal = account.refusalOf({
        sender: senderIn(FromEmailAddress).address,
        recipients,
        region: model.region,
      });
      if (refusal !== undefined) return errorAnswer(refusal.status, refusal.name, refusal.message);
      if (setName !== undefined && !feedback.exists(setName))
        return errorAnswer(404, "NotFoundException", `Configuration set <${setName}> does not exist.`);
      const MessageId = mailbox.deliver({
        from: FromEmailAddress,
        to: recipients,
        subject: Subject.Data,
        ...(Body.Text !== undefined && { text: Body.Text.Data }),
        ...(Body.Html !== undefined && { html: Body.Html.Data }),
        headers: Headers.map(({ Name: name, Value: value }) => ({ name, value })),
      });
      feedback.answer({
        messageId: MessageId,
        configurationSet: setName,
        from: FromEmailAddress,
        recipients,
        tags: Object.fromEntries(EmailTags.map(({ Name, Value }) => [Name, Value])),
      });
      return jsonAnswer(200, { MessageId });
    },
    close: () => {},
  };
};
