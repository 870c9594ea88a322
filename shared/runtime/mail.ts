/**
 * Sends e-mails through Amazon SES. The client is created at the first call, but imported statically, for the reasons in
 * event-bridge.ts.
 */
import { Agent } from "node:https";
import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { type AwsPlace, boundedRequests, fixedSettings, readAwsPlace } from "./aws-client.ts";
import { limitTo } from "./call-store.ts";

const REQUEST_TIMEOUT_MS = 5_000;
const DEADLINE_MS = 10_000;

/**
 * `headers` are further headers of the message, such as List-Unsubscribe. SES refuses the ones that it writes itself.
 * https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_MessageHeader.html
 * `tags` are in the events that SES publishes of the mail, and not in the mail.
 */
export type Mail = {
  to: string;
  subject: string;
  html: string;
  text: string;
  headers?: Readonly<Record<string, string>>;
  tags?: Readonly<Record<string, string>>;
};

/** A client of one endpoint. */
export const createSes = (place: AwsPlace): SESv2Client =>
  new SESv2Client({
    ...place,
    ...fixedSettings,
    // A repeated request sends a second e-mail.
    maxAttempts: 1,
    requestHandler: boundedRequests(new Agent({ keepAlive: true, maxSockets: 20 }), REQUEST_TIMEOUT_MS),
  });

let made: SESv2Client | undefined;

/** The client of a deployed function, from its environment. */
export const ses = (): SESv2Client => {
  made ??= createSes(readAwsPlace("email"));
  return made;
};

/**
 * Errors of SendEmail that every mail gets until an operator acts: the role, the account, the sender's identity or the
 * configuration set. https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html#API_SendEmail_Errors
 */
const SENDER_ERRORS = [
  "AccessDeniedException",
  "AccountSuspendedException",
  "MailFromDomainNotVerifiedException",
  "NotFoundException",
  "SendingPausedException",
];

/**
 * The same as messages of other errors. In the sandbox, an address that is not verified may be the recipient's: the account
 * needs production access. https://docs.aws.amazon.com/ses/latest/dg/troubleshoot-error-messages.html,
 * https://docs.aws.amazon.com/ses/latest/dg/manage-sending-quotas-errors.html
 */
const SENDER_MESSAGES: Readonly<Record<string, RegExp>> = {
  MessageRejected: /^Email address is not verified|^(Sending|Account)\b.*\b(paused|suspended)\b/i,
  TooManyRequestsException: /^Daily message quota exceeded/i,
  ThrottlingException: /^Daily message quota exceeded/i,
};

/** Errors that depend on the recipient or the content of this mail. */
const MAIL_ERRORS = ["BadRequestException", "MessageRejected"];

/** Who has to act: the operator (`sender`), who chose the address (`mail`), or nobody, since SES may take it later. */
export type MailFault = "sender" | "mail" | "service";

const faultOf = (name: string, message: string): MailFault => {
  if (SENDER_ERRORS.includes(name) || SENDER_MESSAGES[name]?.test(message) === true) return "sender";
  return MAIL_ERRORS.includes(name) ? "mail" : "service";
};

/** SES did not take a mail. The name is that of the SDK's error, whose message may quote addresses. */
export class MailError extends Error {
  override name: string;
  readonly fault: MailFault;

  constructor(name: string, fault: MailFault) {
    super(`SES: ${name}`);
    this.name = name;
    this.fault = fault;
  }
}

const utf8 = (Data: string) => ({ Data, Charset: "UTF-8" });

export type Mailer = ReturnType<typeof createMailer>;

/**
 * @param client is called at the first e-mail: `ses` in a deployed function.
 * @param options.sender the address that e-mails come from; SES must have verified it or its domain.
 * @param options.configurationSet of SES, which publishes bounces and complaints; without it, the sender's default one.
 */
export const createMailer = (
  client: () => SESv2Client,
  { sender, configurationSet }: { sender: string; configurationSet?: string | undefined },
) => ({
  /**
   * Sends an e-mail once. SES has accepted it then; it may still bounce.
   * @returns the id that SES gave it.
   * @throws MailError
   */
  async send({ to, subject, html, text, headers = {}, tags = {} }: Mail): Promise<string | undefined> {
    const command = new SendEmailCommand({
      FromEmailAddress: sender,
      ...(configurationSet !== undefined && { ConfigurationSetName: configurationSet }),
      EmailTags: Object.entries(tags).map(([Name, Value]) => ({ Name, Value })),
      Destination: { ToAddresses: [to] },
      Content: {
        Simple: {
          Subject: utf8(subject),
          Body: { Text: utf8(text), Html: utf8(html) },
          Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
        },
      },
    });
    try {
      return (await client().send(command, { abortSignal: limitTo(DEADLINE_MS) })).MessageId;
    } catch (error) {
      const { name, message } = error instanceof Error ? error : { name: typeof error, message: "" };
      throw new MailError(name, faultOf(name, message));
    }
  },
});
