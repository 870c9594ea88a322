/** The floor: calls DynamoDB with node:https and signs requests itself. */
import { createHash, createHmac } from "node:crypto";
import { createFloorHandler, send } from "./floor-core.mjs";

const { env } = process;
const TableName = env.PLANTS_TABLE_NAME;
const endpoint = new URL(env.AWS_ENDPOINT_URL ?? `https://dynamodb.${env.AWS_REGION}.amazonaws.com`);

const sha256 = (text) => createHash("sha256").update(text).digest("hex");
const hmac = (key, text) => createHmac("sha256", key).update(text).digest();

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html */
const call = async (operation, input) => {
  const body = JSON.stringify(input);
  const time = `${new Date().toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;
  const day = time.slice(0, 8);
  const headers = {
    "content-type": "application/x-amz-json-1.0",
    host: endpoint.host,
    "x-amz-date": time,
    "x-amz-security-token": env.AWS_SESSION_TOKEN,
    "x-amz-target": `DynamoDB_20120810.${operation}`,
  };
  const names = Object.keys(headers);
  const signed = names.join(";");
  const canonical = `POST\n/\n\n${names.map((name) => `${name}:${headers[name]}\n`).join("")}\n${signed}\n${sha256(body)}`;
  const scope = `${day}/${env.AWS_REGION}/dynamodb/aws4_request`;
  const key = [day, env.AWS_REGION, "dynamodb", "aws4_request"].reduce(hmac, `AWS4${env.AWS_SECRET_ACCESS_KEY}`);
  const signature = hmac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`).toString("hex");
  headers.authorization = `AWS4-HMAC-SHA256 Credential=${env.AWS_ACCESS_KEY_ID}/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
  headers["content-length"] = Buffer.byteLength(body);
  const { status, text } = await send(endpoint, "POST", headers, body);
  if (status !== 200) throw new Error(text);
  return JSON.parse(text);
};

const ExpressionAttributeNames = { "#scope": "scope" };

export const handler = createFloorHandler({
  put: ({ scope, id, name, tag, token }) =>
    call("PutItem", {
      TableName,
      Item: {
        scope: { S: scope },
        id: { N: String(id) },
        name: { S: name },
        ...(tag !== undefined && { tag: { S: tag } }),
        token: { S: token },
      },
      ConditionExpression: "attribute_not_exists(#scope)",
      ExpressionAttributeNames,
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    }),
  query: async (scope) => {
    const { Items } = await call("Query", {
      TableName,
      KeyConditionExpression: "#scope = :scope",
      ExpressionAttributeNames,
      ExpressionAttributeValues: { ":scope": { S: scope } },
      Limit: 10_001,
    });
    return Items.map(({ name, tag }) => ({ name: name.S, tag: tag?.S }));
  },
  remove: ({ scope, id }) =>
    call("DeleteItem", {
      TableName,
      Key: { scope: { S: scope }, id: { N: String(id) } },
      ConditionExpression: "attribute_exists(#scope)",
      ExpressionAttributeNames,
    }),
});
