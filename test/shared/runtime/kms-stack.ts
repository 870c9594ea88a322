/** The stack of kms.deep.test.ts: two keys, and functions with the rights of two purposes. */
import type { Stack } from "aws-cdk-lib";
import { Key } from "aws-cdk-lib/aws-kms";
import { addFunctionWith } from "../../support/add-function-with.ts";

const purpose = (name: string) => ({ StringEquals: { "kms:EncryptionContext:purpose": name } });

export const fill = (stack: Stack): void => {
  const key = new Key(stack, "Key");
  const on = (conditions: ReturnType<typeof purpose>, ...actions: string[]) => [
    { actions: actions.map((action) => `kms:${action}`), resources: [key.keyArn], conditions },
  ];
  addFunctionWith(stack, "connects", on(purpose("provider-credentials"), "GenerateDataKey", "Decrypt"));
  addFunctionWith(stack, "receives", on(purpose("webhook-secrets"), "Decrypt"));
  new Key(stack, "Other");
};
