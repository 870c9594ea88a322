import { Aspects } from "aws-cdk-lib";
import { Alarm } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { Topic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";

type Props = { topicArn: string };

/** Tells a topic of the operators' own when an alarm of the scope goes off, and when it is over: all of them, also later ones. */
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
