/** What DynamoDB's refusals say about an alert. */
import type { AttributeValue, ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type AlertItem, parseAlertItem } from "./alert-item.ts";

/** The attributes of alerts are texts, numbers and sets of texts, and the event ids of a manual one a list. */
const plainValue = ({ S, N, SS, L }: AttributeValue): unknown => {
  if (N !== undefined) return Number(N);
  if (SS !== undefined) return new Set(SS);
  return L === undefined ? S : L.map(plainValue);
};

/** The item that a condition refused; undefined where there was none, or it goes unsaid. */
export const itemOfRefusal = ({ Item }: ConditionalCheckFailedException): AlertItem | undefined => {
  if (Item === undefined || Object.keys(Item).length === 0) return undefined;
  return parseAlertItem(Object.fromEntries(Object.entries(Item).map(([name, value]) => [name, plainValue(value)])));
};
