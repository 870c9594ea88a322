import { CfnOutput, RemovalPolicy, Stack } from "aws-cdk-lib";
import { AccessLogFormat } from "aws-cdk-lib/aws-apigateway";
import {
  DomainName,
  type HttpApi,
  HttpStage,
  IpAddressType,
  LogGroupLogDestination,
} from "aws-cdk-lib/aws-apigatewayv2";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { AaaaRecord, ARecord, HostedZone, type IHostedZone, RecordTarget } from "aws-cdk-lib/aws-route53";
import { ApiGatewayv2DomainProperties } from "aws-cdk-lib/aws-route53-targets";
import type { Construct } from "constructs";
import type { DeploymentConfig } from "./resources/deployment-config.ts";

/** Requests per second and burst size, for all callers of an API together. Beyond, API Gateway answers 429. */
const THROTTLE = { rateLimit: 500, burstLimit: 1_000 };

/** Contains no addresses and no users: these are only in security events, which can be erased. */
const ACCESS_LOG = AccessLogFormat.custom(
  JSON.stringify({
    requestId: "$context.requestId",
    route: "$context.routeKey",
    status: "$context.status",
    latencyMs: "$context.responseLatency",
    gatewayError: "$context.error.responseType",
    integrationError: "$context.integrationErrorMessage",
    integrationStatus: "$context.integrationStatus",
    integrationLatencyMs: "$context.integrationLatency",
  }),
);

export type Domain = { domainName: string; certificateArn: string };

/** A domain name with its certificate; undefined if none is configured. */
export const domainOf = (domainName?: string, certificateArn?: string): Domain | undefined =>
  domainName === undefined || certificateArn === undefined ? undefined : { domainName, certificateArn };

type NetworkConfig = Pick<DeploymentConfig, "hostedZoneId" | "hostedZoneName" | "ipAddressType">;

/** Whether clients reach an API over IPv4 only, or over IPv6, too. */
export const ipAddressTypeOf = ({ ipAddressType }: Pick<DeploymentConfig, "ipAddressType">): IpAddressType =>
  ipAddressType === "dualstack" ? IpAddressType.DUAL_STACK : IpAddressType.IPV4;

type Props = {
  api: HttpApi;
  config: NetworkConfig;
  /** The API is reachable only under this name; undefined for API Gateway's own address. */
  domain: Domain | undefined;
  /** Begins the names of the stack's outputs for the DNS record. */
  outputPrefix: string;
};

/** Adds the only stage of an HTTP API: throttled, logged and, if there is a domain name, mapped to it. @returns the stage */
export const addStage = (scope: Construct, { api, config, domain, outputPrefix }: Props): HttpStage => {
  const accessLog = new LogGroup(scope, "AccessLog", {
    // API Gateway adds each log group with another beginning to a policy of the account, which has room for few:
    // https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/AWS-logs-infrastructure-V2-CloudWatchLogs.html
    logGroupName: `/aws/vendedlogs/${Stack.of(scope).stackName}/${outputPrefix.toLowerCase()}`,
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  return new HttpStage(scope, "Stage", {
    httpApi: api,
    stageName: "$default",
    autoDeploy: true,
    throttle: THROTTLE,
    accessLogSettings: { destination: new LogGroupLogDestination(accessLog), format: ACCESS_LOG },
    ...(domain && { domainMapping: { domainName: addDomain(scope, domain, config, outputPrefix) } }),
  });
};

/** The zone of the deployment's records; undefined if its operators create the records themselves. */
const zoneOf = (scope: Construct, { hostedZoneId, hostedZoneName }: NetworkConfig): IHostedZone | undefined =>
  hostedZoneId === undefined || hostedZoneName === undefined
    ? undefined
    : HostedZone.fromHostedZoneAttributes(scope, "Zone", { hostedZoneId, zoneName: hostedZoneName });

/** Adds the domain name, the outputs for its DNS record and, if there is a hosted zone, the record itself. */
const addDomain = (
  scope: Construct,
  { domainName, certificateArn }: Domain,
  config: NetworkConfig,
  outputPrefix: string,
): DomainName => {
  const made = new DomainName(scope, "DomainName", {
    domainName,
    certificate: Certificate.fromCertificateArn(scope, "Certificate", certificateArn),
    ipAddressType: ipAddressTypeOf(config),
  });
  const { regionalDomainName, regionalHostedZoneId } = made;
  new CfnOutput(Stack.of(scope), `${outputPrefix}DnsTarget`, {
    value: regionalDomainName,
    description: `The target of the DNS record of ${domainName}: a CNAME, or an alias of Route 53`,
  });
  new CfnOutput(Stack.of(scope), `${outputPrefix}DnsTargetZone`, {
    value: regionalHostedZoneId,
    description: "The hosted zone of that target, which an alias of Route 53 needs",
  });
  const zone = zoneOf(scope, config);
  if (zone !== undefined) {
    const target = RecordTarget.fromAlias(new ApiGatewayv2DomainProperties(regionalDomainName, regionalHostedZoneId));
    new ARecord(scope, "Record", { zone, recordName: domainName, target });
    if (config.ipAddressType === "dualstack")
      new AaaaRecord(scope, "RecordIpv6", { zone, recordName: domainName, target });
  }
  return made;
};
