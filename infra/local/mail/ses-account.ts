import * as z from "zod";
import { type JsonRoutes, refuse } from "../http/json-server.ts";

/** An error of SendEmail. */
export type MailRefusal = { status: number; name: string; message: string };

type Addresses = { sender: string; recipients: readonly string[]; region: string };

const notVerified = (identities: readonly string[], region: string): MailRefusal => ({
  status: 400,
  name: "MessageRejected",
  message: `Email address is not verified. The following identities failed the check in region ${region.toUpperCase()}: ${identities.join(", ")}`,
});

const refusal = (status: number, name: string, message: string) => (): MailRefusal => ({ status, name, message });

const domainOf = (address: string): string => address.slice(address.indexOf("@") + 1);

/**
 * What can be wrong with an account, and how SES refuses mails then; undefined for a mail that is taken all the same.
 * https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html#API_SendEmail_Errors,
 * https://docs.aws.amazon.com/ses/latest/dg/troubleshoot-error-messages.html
 */
const problems = {
  /** The sender's domain is the only verified identity, so its addresses are the only recipients. */
  sandbox: ({ sender, recipients, region }: Addresses) => {
    const unverified = recipients.filter((recipient) => domainOf(recipient) !== domainOf(sender));
    return unverified.length === 0 ? undefined : notVerified(unverified, region);
  },
  sender_not_verified: ({ sender, region }: Addresses) => notVerified([sender], region),
  mail_from_not_verified: refusal(400, "MailFromDomainNotVerifiedException", "The MAIL FROM domain is not verified."),
  identity_gone: refusal(404, "NotFoundException", "The identity does not exist."),
  paused: refusal(400, "SendingPausedException", "Sending is paused for this account."),
  suspended: refusal(400, "AccountSuspendedException", "The account's ability to send email has been restricted."),
  denied: refusal(403, "AccessDeniedException", "A service control policy denies ses:SendEmail."),
  quota: refusal(429, "TooManyRequestsException", "Daily message quota exceeded."),
  rate: refusal(429, "TooManyRequestsException", "Maximum sending rate exceeded."),
} satisfies Record<string, (addresses: Addresses) => MailRefusal | undefined>;

type Problem = keyof typeof problems;
export const sesProblems = Object.keys(problems) as Problem[];

const State = z.strictObject({ problem: z.enum(sesProblems).nullable() });

/** The account as SES sees it. It sends every mail, until the control server's `PUT /ses` gives it a problem. */
export type SesAccount = ReturnType<typeof createSesAccount>;

export const createSesAccount = () => {
  let problem: Problem | null = null;
  const shown = () => ({ status: 200, body: { problem } });
  const routes: JsonRoutes = {
    "GET /ses": shown,
    "PUT /ses": ({ body }) => {
      const parsed = State.safeParse(body);
      if (!parsed.success) return refuse(400, z.prettifyError(parsed.error));
      problem = parsed.data.problem;
      return shown();
    },
  };
  return {
    routes,
    /** Why SES does not take a mail; undefined if it does. */
    refusalOf: (addresses: Addresses): MailRefusal | undefined =>
      problem === null ? undefined : problems[problem](addresses),
  };
};
