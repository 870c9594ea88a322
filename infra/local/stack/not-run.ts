import { type Identify, nameOf } from "../template/identity.ts";
import { arnIn } from "../template/template.ts";

/** Types that need nothing on one machine, and why. */
export const nothingToRun: Record<string, string> = {
  "AWS::ApiGatewayV2::Deployment": "routes are served as the template has them",
  "AWS::CDK::Metadata": "it only counts uses of CDK",
  "AWS::Logs::LogGroup": "log lines go to the terminal, and retention is not applied",
};

/** Types that matter once deployed and do nothing here: what the user must not expect. */
export const notRunReasons: Record<string, string> = {
  "AWS::ApiGatewayV2::ApiMapping": "the API answers on this machine only",
  "AWS::ApiGatewayV2::Authorizer": "nothing here asks it; its routes are not served",
  "AWS::ApiGatewayV2::DomainName": "the API answers on this machine only",
  "AWS::CloudWatch::Alarm": "no metric is watched, so it never goes off",
  "AWS::CloudWatch::CompositeAlarm": "no metric is watched, so it never goes off",
  "AWS::CloudWatch::Dashboard": "no metrics are kept to show",
  "AWS::KMS::ReplicaKey": "calls to it are denied",
  "AWS::Lambda::Alias": "calls go to the function itself",
  "AWS::Lambda::Version": "calls go to the function itself",
  "AWS::Logs::MetricFilter": "no metrics are made of log lines",
  "AWS::Scheduler::Schedule": "it does not fire; rules with a schedule do",
  "AWS::SNS::Subscription": "its topic is not run",
  "AWS::SNS::Topic": "messages to it reach nobody",
  "AWS::SNS::TopicPolicy": "its topic is not run",
};

const alarm: Identify = (resource) => {
  const name = nameOf(resource, "AlarmName");
  return { ref: name, attributes: { Arn: arnIn(resource.scope, "cloudwatch", `alarm:${name}`) } };
};

/** Names and ARNs of what is not run, because policies speak of it. */
export const notRunIdentities: Record<string, Identify> = {
  "AWS::CloudWatch::Alarm": alarm,
  "AWS::CloudWatch::CompositeAlarm": alarm,
  "AWS::CloudWatch::Dashboard": (resource) => ({ ref: nameOf(resource, "DashboardName"), attributes: {} }),
  "AWS::Logs::LogGroup": (resource) => {
    const name = nameOf(resource, "LogGroupName");
    return { ref: name, attributes: { Arn: arnIn(resource.scope, "logs", `log-group:${name}:*`) } };
  },
  "AWS::SNS::Topic": (resource) => {
    const name = nameOf(resource, "TopicName");
    const arn = arnIn(resource.scope, "sns", name);
    return { ref: arn, attributes: { TopicArn: arn, TopicName: name } };
  },
};
