import { orUndefined } from "../../aws/call-aws.ts";
import { type Check, type Finding, failed, ok, regionOfArn, skipped, type Target, warning } from "../finding.ts";
import { describeCertificate } from "../read-operations.ts";

const DAY_SECONDS = 86_400;
/** Certificates that are not renewed by themselves should last this long. */
const LEAST_DAYS = 30;

/** A wildcard stands for one label: `*.example.com` covers `api.example.com`, not `a.b.example.com`. */
const covers = (certified: string, name: string): boolean =>
  certified === name || (certified.startsWith("*.") && name.slice(name.indexOf(".")) === certified.slice(1));

const checkOne = async ({ call, region, now }: Target, key: string, arn: string, name: string): Promise<Finding> => {
  if (regionOfArn(arn) !== region) {
    return failed(
      `${key} is a certificate of ${regionOfArn(arn)}, and the API of ${name} is in ${region}.`,
      `Request a certificate there: aws acm request-certificate --region ${region} --validation-method DNS --domain-name ${name}`,
    );
  }
  const answer = await orUndefined(call(describeCertificate, { CertificateArn: arn }));
  if (answer === undefined)
    return failed(`${key} names a certificate that does not exist.`, "aws acm list-certificates lists what there is.");
  const { Certificate: certificate } = answer;
  if (certificate.Status !== "ISSUED") {
    return failed(
      `The certificate of ${key} is ${certificate.Status}, not ISSUED.`,
      "aws acm describe-certificate shows the DNS record that validates it; wait until it is issued.",
    );
  }
  if (![certificate.DomainName, ...certificate.SubjectAlternativeNames].some((one) => covers(one, name)))
    return failed(
      `The certificate of ${key} does not cover ${name}.`,
      `Request one for ${name}, or change the domain name.`,
    );
  const days = Math.floor(((certificate.NotAfter ?? Number.POSITIVE_INFINITY) - now / 1_000) / DAY_SECONDS);
  return certificate.RenewalEligibility === "INELIGIBLE" && days < LEAST_DAYS
    ? warning(
        `The certificate of ${key} ends in ${days} days, and Certificate Manager does not renew it.`,
        "Import its successor into the same ARN, or request one with DNS validation.",
      )
    : ok(`The certificate of ${key} covers ${name}.`);
};

export const checkCertificates: Check = async (target) => {
  const { domainName, certificateArn, webhookDomainName, webhookCertificateArn } = target.config;
  const findings: Finding[] = [];
  if (domainName !== undefined && certificateArn !== undefined)
    findings.push(await checkOne(target, "certificateArn", certificateArn, domainName));
  if (webhookDomainName !== undefined && webhookCertificateArn !== undefined)
    findings.push(await checkOne(target, "webhookCertificateArn", webhookCertificateArn, webhookDomainName));
  return findings.length > 0 ? findings : [skipped("No domain name is given: there is no certificate.")];
};
