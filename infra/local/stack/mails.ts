import * as z from "zod";
import { busNameOf } from "../core/model.ts";
import type { ResourceFamily } from "../template/stack-reader.ts";
import { nameOf } from "../template/template.ts";

const setPlan = {
  supported: z.object({ Name: z.string().optional() }),
  notApplied: { SuppressionOptions: "addresses are not kept from further mails" },
  ignored: ["ReputationOptions", "Tags"],
};

const destinationPlan = {
  supported: z.object({
    ConfigurationSetName: z.string(),
    EventDestination: z.strictObject({
      Enabled: z.boolean(),
      MatchingEventTypes: z.array(z.enum(["bounce", "complaint"])),
      EventBridgeDestination: z.strictObject({ EventBusArn: z.string() }),
    }),
  }),
};

/** AWS::SES::ConfigurationSet, and where it publishes bounces and complaints. A set outside the template exists, too. */
export const mails: ResourceFamily = {
  identities: {
    "AWS::SES::ConfigurationSet": (resource) => ({ ref: nameOf(resource, "Name"), attributes: {} }),
    "AWS::SES::ConfigurationSetEventDestination": ({ logicalId }) => ({ ref: logicalId, attributes: {} }),
  },
  read: (stack) => {
    const declared = stack.resources("AWS::SES::ConfigurationSet").map((resource) => {
      stack.properties(resource, setPlan);
      return { name: resource.ref, events: [] };
    });
    const published = stack.resources("AWS::SES::ConfigurationSetEventDestination").map((resource) => {
      const { ConfigurationSetName: name, EventDestination } = stack.properties(resource, destinationPlan);
      const { Enabled, MatchingEventTypes, EventBridgeDestination } = EventDestination;
      const busName = busNameOf(EventBridgeDestination.EventBusArn);
      return { name, events: Enabled ? MatchingEventTypes.map((type) => ({ type, busName })) : [] };
    });
    return { configurationSets: [...declared, ...published] };
  },
};
