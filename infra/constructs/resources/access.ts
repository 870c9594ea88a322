/** The rights of functions, and the environment variables that name the resources. A function has a list of these. */
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import { type TableIndex, type TableName, tableVariable } from "../../../shared/terms/tables.ts";

/** A right: actions of one service on the named resources. */
export type Grant = {
  actions: readonly string[];
  resources: readonly string[];
  /** As in a policy's `Condition`. */
  conditions?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
  /** Why the resources end with a wildcard; cdk-nag asks for it. */
  wildcardReason?: string;
};

export type Access = {
  grants: readonly Grant[];
  environment: Readonly<Record<string, string>>;
  /** The function records security events, so it publishes what RECORDERS publish (shared/api/bus-events.ts). */
  isRecorder?: boolean;
};

export const NO_ACCESS: Access = { grants: [], environment: {} };

/** Only environment variables, without a right. */
export const variables = (environment: Access["environment"]): Access => ({ grants: [], environment });

/** Several accesses as one. Variables of the same name must have the same value. */
export const together = (...parts: readonly Access[]): Access => ({
  grants: parts.flatMap(({ grants }) => grants),
  environment: Object.assign({}, ...parts.map(({ environment }) => environment)),
  isRecorder: parts.some(({ isRecorder }) => isRecorder === true),
});

/** The access to a table: actions on its items, and queries of its indexes. Each sets the variable with its name. */
export const tableAccess = (name: TableName, table: Table) => {
  const environment = { [tableVariable(name)]: table.tableName };
  return {
    may: (...actions: readonly string[]): Access => ({
      grants: [{ actions: actions.map((action) => `dynamodb:${action}`), resources: [table.tableArn] }],
      environment,
    }),
    query: (...indexes: readonly TableIndex[]): Access => ({
      grants: [
        { actions: ["dynamodb:Query"], resources: indexes.map(({ name }) => `${table.tableArn}/index/${name}`) },
      ],
      environment,
    }),
  };
};

/** The access to a bucket: actions on its objects, and listing them. Each sets the variable with its name. */
export const bucketAccess = (variable: string, bucket: Bucket) => {
  const environment = { [variable]: bucket.bucketName };
  return {
    /** To begin, continue and complete uploads in parts takes `PutObject`. */
    may: (...actions: readonly ("GetObject" | "PutObject" | "DeleteObject" | "AbortMultipartUpload")[]): Access => ({
      grants: [
        {
          actions: actions.map((action) => `s3:${action}`),
          resources: [bucket.arnForObjects("*")],
          wildcardReason: "Keys name organizations, which are not known at deployment. The bucket holds nothing else.",
        },
      ],
      environment,
    }),
    /** Without this right, S3 denies the reading of a missing object, instead of saying that it is missing. */
    list: (): Access => ({
      grants: [{ actions: ["s3:ListBucket"], resources: [bucket.bucketArn] }],
      environment,
    }),
  };
};
