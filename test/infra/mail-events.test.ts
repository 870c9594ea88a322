/** What a deployment has for bounces and complaints of mails, with and without a configuration set of the operator. */

import { describe, expect, it } from "@jest/globals";
import { assemblyDirectory } from "../support/assembly.ts";
import { productionAssembly } from "../support/production-assembly.ts";
import { type Template, templateIn } from "../support/template.ts";

type Rule = { EventPattern: { source: string[]; detail?: object }; Targets: object[]; EventBusName?: string };

const rulesOf = (template: Template): Rule[] =>
  Object.values(template.findResources("AWS::Events::Rule"))
    .map(({ Properties }) => Properties as Rule)
    .filter(({ EventPattern }) => EventPattern?.source.includes("aws.ses"));

describe("the events of mails", () => {
  const own = templateIn(assemblyDirectory);

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

  it("come from the operator's configuration set if there is one", async () => {
    const template = templateIn(await productionAssembly());
    template.resourceCountIs("AWS::SES::ConfigurationSet", 0);
    template.hasResourceProperties("AWS::SES::ConfigurationSetEventDestination", { ConfigurationSetName: "dedicated" });
    expect(JSON.stringify(rulesOf(template))).toContain('"ses:configuration-set":["dedicated"]');
  });
});
