/** What a deployment has for bounces and complaints of mails, with and without a configuration set of the operator. */

import { beforeAll, describe, expect, it } from "@jest/globals";
import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { parseContext } from "../../infra/config.ts";
import { ServiceStack } from "../../infra/service-stack.ts";
import "../support/assembly.ts";

type Rule = { EventPattern: { source: string[]; detail?: object }; Targets: object[]; EventBusName?: string };

const mails = { emailSender: "alerts@example.com" };
const synthesise = (context: Record<string, string>) =>
  Template.fromStack(new ServiceStack(new App(), "test", parseContext(context)));
const rulesOf = (template: Template): Rule[] =>
  Object.values(template.findResources("AWS::Events::Rule"))
    .map(({ Properties }) => Properties as Rule)
    .filter(({ EventPattern }) => EventPattern?.source.includes("aws.ses"));

describe("the events of mails", () => {
  let own: Template;
  beforeAll(() => {
    own = synthesise(mails);
  });

  it("come from a configuration set that suppresses bad addresses, and start nothing for other senders", () => {
    const [name = ""] = Object.keys(own.findResources("AWS::SES::ConfigurationSet"));
    own.hasResourceProperties("AWS::SES::ConfigurationSet", {
      SuppressionOptions: { SuppressedReasons: ["BOUNCE", "COMPLAINT"] },
    });
    own.hasResourceProperties("AWS::SES::ConfigurationSetEventDestination", {
      ConfigurationSetName: { Ref: name },
      EventDestination: { Enabled: true, MatchingEventTypes: ["bounce", "complaint"] },
    });
    const detail = { mail: { tags: { "ses:configuration-set": [{ Ref: name }] } } };
    expect(rulesOf(own)).toMatchObject([
      { EventPattern: { source: ["aws.ses"], "detail-type": ["Email Bounced"], detail } },
      { EventPattern: { source: ["aws.ses"], "detail-type": ["Email Complaint Received"], detail } },
    ]);
    // SES publishes to the default bus only.
    for (const { EventBusName } of rulesOf(own)) expect([undefined, "default"]).toContain(EventBusName);
  });

  it("reach the queue without the mail's headers, which contain the keys of links", () => {
    for (const { Targets } of rulesOf(own)) {
      const text = JSON.stringify(Targets);
      expect(text).toContain("$.detail.mail.tags");
      expect(text).not.toMatch(/eaders|\$\.detail"|"\$"/);
    }
  });

  it("come from the operator's configuration set if there is one", () => {
    const template = synthesise({ ...mails, emailConfigurationSet: "dedicated" });
    template.resourceCountIs("AWS::SES::ConfigurationSet", 0);
    template.hasResourceProperties("AWS::SES::ConfigurationSetEventDestination", { ConfigurationSetName: "dedicated" });
    expect(JSON.stringify(rulesOf(template))).toContain('"ses:configuration-set":["dedicated"]');
  });

  it("are missing in a deployment without mails", () => {
    const template = synthesise({});
    template.resourceCountIs("AWS::SES::ConfigurationSetEventDestination", 0);
    expect([rulesOf(template), JSON.stringify(template.toJSON()).includes("MailsBouncing")]).toEqual([[], false]);
  });
});
