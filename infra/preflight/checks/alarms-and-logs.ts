import { orUndefined } from "../../aws/call-aws.ts";
import { type Check, failed, ok, regionOfArn, skipped, warning } from "../finding.ts";
import { describeResourcePolicies, getTopicAttributes } from "../read-operations.ts";

/** https://repost.aws/knowledge-center/cloudwatch-configure-alarm-sns */
export const checkAlarmTopic: Check = async ({ call, config, region }) => {
  const { alarmTopicArn: arn } = config;
  if (arn === undefined) return [skipped("alarmTopicArn is not given: alarms are visible in CloudWatch only.")];
  if (regionOfArn(arn) !== region) {
    return [
      failed(
        `alarmTopicArn is a topic of ${regionOfArn(arn)}, and alarms of ${region} cannot publish to it.`,
        `aws sns create-topic --region ${region} --name …`,
      ),
    ];
  }
  const topic = await orUndefined(call(getTopicAttributes, { TopicArn: arn }));
  if (topic === undefined)
    return [failed("alarmTopicArn names a topic that does not exist.", "aws sns list-topics lists what there is.")];
  const key = topic.Attributes.find((attribute) => attribute.key === "KmsMasterKeyId")?.value;
  return key?.endsWith("alias/aws/sns")
    ? [
        failed(
          "The topic of alarmTopicArn is encrypted with alias/aws/sns: CloudWatch cannot publish to it.",
          'Encrypt it with a key of your own, with the statement of docs/operations.md, "Be notified".',
        ),
      ]
    : [ok("The topic of alarmTopicArn exists.")];
};

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/AWS-logs-infrastructure-CWL.html */
const MAX_POLICY_LENGTH = 5_120;
const MAX_POLICIES = 10;
/** A statement for one more log group. */
const STATEMENT_LENGTH = 500;
const DELIVERY_POLICY = "AWSLogDeliveryWrite20150319";

/** API Gateway adds the log group of an access log to a policy of the account, which may be full. */
export const checkLogsPolicy: Check = async ({ call }) => {
  const { resourcePolicies } = await call(describeResourcePolicies, {});
  const delivery = resourcePolicies.find(({ policyName }) => policyName === DELIVERY_POLICY)?.policyDocument;
  if (delivery?.includes("/aws/vendedlogs/*")) return [ok("API Gateway may write access logs.")];
  if (delivery === undefined && resourcePolicies.length >= MAX_POLICIES) {
    return [
      failed(
        `CloudWatch Logs has ${MAX_POLICIES} resource policies, its limit: API Gateway cannot add the one for access logs.`,
        "Merge two of them: aws logs describe-resource-policies, put-resource-policy, delete-resource-policy.",
      ),
    ];
  }
  const left = MAX_POLICY_LENGTH - (delivery?.length ?? 0);
  return left < STATEMENT_LENGTH
    ? [
        warning(
          `The resource policy ${DELIVERY_POLICY} of CloudWatch Logs has ${left} of ${MAX_POLICY_LENGTH} characters left.`,
          `Replace its log groups by arn:…:log-group:/aws/vendedlogs/*: aws logs put-resource-policy --policy-name ${DELIVERY_POLICY}`,
        ),
      ]
    : [ok("API Gateway may write access logs.")];
};
