/** The stack of kms-service.deep.test.ts: keys, and functions with different rights to them. */
import type { Stack } from "aws-cdk-lib";
import { PolicyDocument, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Key, KeySpec, KeyUsage } from "aws-cdk-lib/aws-kms";
import { addFunctionWith } from "../../../support/add-function-with.ts";

const forCredentials = { StringEquals: { "kms:EncryptionContext:purpose": "credentials" } };
/** Requires exactly these two context keys, both present. */
const exactContext = {
  ...forCredentials,
  "ForAllValues:StringEquals": { "kms:EncryptionContextKeys": ["purpose", "organization"] },
  Null: { "kms:EncryptionContext:organization": "false" },
};

export const fill = (stack: Stack): void => {
  const key = new Key(stack, "Key", { enableKeyRotation: true });
  const on = (actions: string[], conditions = {}) => [{ actions, resources: [key.keyArn], conditions }];
  addFunctionWith(stack, "seals", on(["kms:GenerateDataKey"], forCredentials));
  addFunctionWith(stack, "opens", on(["kms:Decrypt"], forCredentials));
  addFunctionWith(stack, "isCareful", on(["kms:GenerateDataKey"], exactContext));
  addFunctionWith(
    stack,
    "needsContext",
    on(["kms:GenerateDataKey"], { Null: { "kms:EncryptionContextKeys": "false" } }),
  );
  addFunctionWith(stack, "doesAll", [{ actions: ["kms:*"], resources: ["*"] }]);
  addFunctionWith(stack, "doesNothing", []);
  const named = addFunctionWith(stack, "isNamed", []);
  new Key(stack, "Closed", {
    policy: new PolicyDocument({
      statements: [new PolicyStatement({ actions: ["kms:*"], resources: ["*"], principals: [named] })],
    }),
  });
  new Key(stack, "Other");
  const signing = new Key(stack, "Signing", { keySpec: KeySpec.ECC_NIST_EDWARDS25519, keyUsage: KeyUsage.SIGN_VERIFY });
  addFunctionWith(stack, "signs", [{ actions: ["kms:Sign"], resources: [signing.keyArn] }]);
};
