import { orUndefined } from "../../aws/call-aws.ts";
import { type Check, type Finding, failed, ok, skipped, type Target } from "../finding.ts";
import { getDomainName, getHostedZone, listResourceRecordSets } from "../read-operations.ts";

/** Record types that exclude an alias of the same name. */
const COLLIDING = ["A", "AAAA", "CNAME"];

const zoneFindings = async ({ call }: Target, zoneId: string, zoneName: string, names: readonly string[]) => {
  const zone = await orUndefined(call(getHostedZone, { Id: zoneId }));
  if (zone === undefined) {
    return [
      failed(
        `hostedZoneId ${zoneId} does not exist in this account.`,
        "aws route53 list-hosted-zones lists what there is.",
      ),
    ];
  }
  const { HostedZone } = zone;
  if (HostedZone.Config?.PrivateZone === true)
    return [
      failed(
        `hostedZoneId ${zoneId} is a private zone: clients would not find the names.`,
        "Give the public zone of the name.",
      ),
    ];
  if (HostedZone.Name !== `${zoneName}.`) {
    const real = HostedZone.Name.replace(/\.$/, "");
    return [
      failed(`hostedZoneId ${zoneId} is the zone ${real}, not ${zoneName}.`, "Correct hostedZoneName or hostedZoneId."),
    ];
  }
  const findings: Finding[] = [];
  for (const name of names) {
    const { ResourceRecordSets } = await call(listResourceRecordSets, { HostedZoneId: zoneId, StartRecordName: name });
    const existing = ResourceRecordSets.filter((one) => one.Name === `${name}.` && COLLIDING.includes(one.Type));
    if (existing.length === 0) continue;
    const types = existing.map(({ Type }) => Type).join(" and ");
    findings.push(
      failed(
        `The zone ${zoneName} already has ${name} (${types}): the deployment would fail on its record.`,
        "Delete the record, or leave hostedZoneId and hostedZoneName out and change it after the deployment.",
      ),
    );
  }
  return findings;
};

/** A domain name belongs to one API of an account and region. */
const gatewayFindings = async ({ call, region }: Target, names: readonly string[]) => {
  const findings: Finding[] = [];
  for (const name of names) {
    const existing = await orUndefined(call(getDomainName, { domainName: name }));
    if (existing === undefined) continue;
    findings.push(
      failed(
        `API Gateway already has the domain name ${name} in ${region}.`,
        `Remove it from its API first: aws apigatewayv2 delete-domain-name --domain-name ${name}`,
      ),
    );
  }
  return findings;
};

export const checkDomainNames: Check = async (target) => {
  const { domainName, webhookDomainName, hostedZoneId, hostedZoneName } = target.config;
  const names = [domainName, webhookDomainName].filter((name) => name !== undefined);
  if (names.length === 0) return [skipped("No domain name is given.")];
  if (target.stackStatus !== undefined) return [skipped("The stack exists: its domain names are its own.")];
  const inZone =
    hostedZoneId === undefined || hostedZoneName === undefined
      ? []
      : await zoneFindings(target, hostedZoneId, hostedZoneName, names);
  const findings = [...inZone, ...(await gatewayFindings(target, names))];
  return findings.length > 0 ? findings : [ok(`${names.join(" and ")} collide with nothing.`)];
};
