import { orUndefined } from "../../aws/call-aws.ts";
import { type Check, type Finding, failed, ok, skipped, type Target, warning } from "../finding.ts";
import { getAccount, getConfigurationSet, getEmailIdentity } from "../read-operations.ts";

/** The identities that may stand for a sender: its address, its domain, and the domains above that. */
const identitiesOf = (sender: string): string[] => {
  const labels = sender.slice(sender.lastIndexOf("@") + 1).split(".");
  return [sender, ...labels.slice(0, -1).map((_, index) => labels.slice(index).join("."))];
};

const identityFindings = async ({ call, region }: Target, sender: string): Promise<Finding[]> => {
  const unverified: string[] = [];
  for (const name of identitiesOf(sender)) {
    const identity = await orUndefined(call(getEmailIdentity, { EmailIdentity: name }));
    if (identity === undefined) continue;
    if (!identity.VerifiedForSendingStatus) {
      unverified.push(name);
      continue;
    }
    const { ConfigurationSetName: set } = identity;
    const found =
      set === undefined ? undefined : await orUndefined(call(getConfigurationSet, { ConfigurationSetName: set }));
    const cure = `aws sesv2 put-email-identity-configuration-set-attributes --email-identity ${name} --configuration-set-name …`;
    if (set !== undefined && found === undefined)
      return [
        failed(
          `The identity ${name} has the default configuration set ${set}, which does not exist: every mail is refused.`,
          cure,
        ),
      ];
    if (found?.SendingOptions?.SendingEnabled === false)
      return [
        failed(
          `Sending is paused for the configuration set ${set} of the identity ${name}.`,
          `aws sesv2 put-configuration-set-sending-options --configuration-set-name ${set} --sending-enabled`,
        ),
      ];
    return [ok(`SES may send as ${sender}: the identity ${name} is verified.`)];
  }
  const [pending] = unverified;
  return [
    pending === undefined
      ? failed(
          `SES has no identity for ${sender} in ${region}.`,
          `aws sesv2 create-email-identity --email-identity ${sender.slice(sender.lastIndexOf("@") + 1)}, and its DKIM records`,
        )
      : failed(
          `The identity ${pending} is not verified in ${region}.`,
          "Publish its DKIM records, or follow the link of SES's mail: aws sesv2 get-email-identity shows what is missing.",
        ),
  ];
};

const accountFindings = async ({ call, region }: Target): Promise<Finding[]> => {
  const account = await call(getAccount, {});
  if (!account.SendingEnabled || account.EnforcementStatus === "SHUTDOWN") {
    return [
      failed(
        `SES does not send for this account in ${region} (${account.EnforcementStatus}).`,
        "Read the account dashboard of SES, answer its case, or run: aws sesv2 put-account-sending-attributes --sending-enabled",
      ),
    ];
  }
  const onProbation =
    account.EnforcementStatus === "PROBATION"
      ? [
          warning(
            `SES has this account on probation in ${region}.`,
            "Read the account dashboard of SES, and answer its case.",
          ),
        ]
      : [];
  return account.ProductionAccessEnabled
    ? onProbation
    : [
        ...onProbation,
        warning(
          `SES is in the sandbox in ${region}: mails reach verified addresses only, 200 a day.`,
          "Request production access: https://docs.aws.amazon.com/ses/latest/dg/request-production-access.html",
        ),
      ];
};

export const checkEmail: Check = async (target) => {
  const { emailSender } = target.config;
  if (emailSender === undefined) return [skipped("emailSender is not given: there are no e-mail destinations.")];
  const account = await accountFindings(target);
  const identity = await identityFindings(target, emailSender);
  return [...account, ...identity];
};
