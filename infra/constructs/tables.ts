import { RemovalPolicy } from "aws-cdk-lib";
import { AttributeType, BillingMode, Table, type TableProps } from "aws-cdk-lib/aws-dynamodb";
import { Construct } from "constructs";
import type { DeploymentConfig } from "../config.ts";

/** Decisions: copies of erased data must not outlive the erasure for long. */
const RECOVERY_PERIOD_DAYS = 7;

/** The tables of the service, one per subject: on demand, recoverable, and kept outside of development. */
export class Tables extends Construct {
  /** Items: shared/plants/plant-store.ts. */
  readonly plants: Table;

  constructor(scope: Construct, id: string, { stage }: Pick<DeploymentConfig, "stage">) {
    super(scope, id);
    const isKept = stage !== "dev";
    const table = (name: string, keys: Pick<TableProps, "partitionKey" | "sortKey">) =>
      new Table(this, name, {
        ...keys,
        billingMode: BillingMode.PAY_PER_REQUEST,
        pointInTimeRecoverySpecification: {
          pointInTimeRecoveryEnabled: true,
          recoveryPeriodInDays: RECOVERY_PERIOD_DAYS,
        },
        deletionProtection: isKept,
        removalPolicy: isKept ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      });

    this.plants = table("Plants", {
      partitionKey: { name: "scope", type: AttributeType.STRING },
      sortKey: { name: "id", type: AttributeType.NUMBER },
    });
  }
}
