import { Aspects } from "aws-cdk-lib";
import { Alarm } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { Topic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";

type Props = { topicArn: string };

/** Notifies a topic when any alarm of the scope is raised and when it ends, including alarms that are added later. */
export class AlarmNotices extends Construct {
  constructor(scope: Construct, id: string, { topicArn }: Props) {
    super(scope, id);
    const action = new SnsAction(Topic.fromTopicArn(this, "Topic", topicArn));
    Aspects.of(scope).add({
      visit(node) {
        if (!(node instanceof Alarm)) return;
        node.addAlarmAction(action);
        node.addOkAction(action);
      },
    });
  }
}
