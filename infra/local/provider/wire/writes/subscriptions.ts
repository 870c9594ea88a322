import { subscribe } from "../../changes/billing.ts";
import type { ObjectOf } from "../../objects/objects.ts";
import { cancelSubscription, endingWithPeriod } from "../../operations/subscriptions.ts";
import { missing, refusal } from "../requests/answer.ts";
import { collection, readCollection } from "./collection.ts";
import { boolean, integer, mergeMetadata, metadata, only, text, unsettableText } from "./fields.ts";
import { changedItems, createItems, newItems, updateItems } from "./subscription-items.ts";
import { changeObject, objectOfParameter, objectOfPath, write } from "./write.ts";

const DAY = 86_400;
/** https://docs.stripe.com/billing/subscriptions/trials */
const MAX_TRIAL_DAYS = 730;

const isOver = ({ status }: ObjectOf<"subscription">) => status === "canceled" || status === "incomplete_expired";

/** https://docs.stripe.com/api/subscriptions */
export const subscriptionWrites = [
  write(
    "POST /v1/subscriptions",
    {
      customer: text(),
      items: newItems(),
      ...collection,
      trial_period_days: integer({ min: 1, max: MAX_TRIAL_DAYS }).optional(),
      description: unsettableText(500).optional(),
      metadata: metadata().optional(),
    },
    (context, input) => {
      const customer = objectOfParameter(context, "customer", input.customer);
      const { trial_period_days: days, description = null } = input;
      return subscribe(context, customer, {
        items: createItems(context, input.items),
        ...readCollection(input),
        description,
        metadata: mergeMetadata({}, input.metadata),
        ...(days !== undefined && { trialEnd: context.ledger.at + days * DAY }),
      });
    },
  ),
  write(
    "POST /v1/subscriptions/{id}",
    {
      items: changedItems().optional(),
      cancel_at_period_end: boolean().optional(),
      ...collection,
      proration_behavior: only("none", "it makes no prorations").optional(),
      description: unsettableText(500).optional(),
      metadata: metadata().optional(),
    },
    (context, input, id) => {
      const subscription = objectOfPath(context, "subscription", id);
      const { metadata: given, ...attributes } = input;
      if (isOver(subscription) && Object.keys(attributes).length > 0)
        throw refusal(400, {
          message: "A canceled subscription can only update its cancellation_details and metadata.",
        });
      const { items, cancel_at_period_end: isEnding, description } = attributes;
      const patch = {
        ...readCollection(attributes, subscription.collectionMethod),
        metadata: mergeMetadata(subscription.metadata, given),
        ...(description !== undefined && { description }),
        ...(items !== undefined && { items: updateItems(context, subscription.items, items) }),
        ...(isEnding !== undefined &&
          isEnding !== subscription.cancelAtPeriodEnd &&
          endingWithPeriod(context.ledger, isEnding)),
      };
      changeObject<"subscription">(context, subscription, patch, "customer.subscription.updated");
      return subscription;
    },
  ),
  write("DELETE /v1/subscriptions/{id}", {}, (context, _, id) => {
    const subscription = objectOfPath(context, "subscription", id);
    // The provider no longer finds a subscription that is over: https://github.com/stripe/stripe-python/issues/709
    if (isOver(subscription)) throw missing({ type: "subscription", id, param: "id", status: 404 });
    cancelSubscription(context.ledger, subscription);
    return subscription;
  }),
];
