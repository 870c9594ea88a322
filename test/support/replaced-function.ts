import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assemblyDirectory } from "./assembly.ts";

type Resource = { Type: string; Properties: { Code?: { S3Key?: string } } };

/**
 * A copy of the service's assembly in which one function runs other code with its original role.
 * @param name part of the function's logical id
 * @param code an ES module that exports `handler`
 * @throws Error unless exactly one function matches
 */
export const assemblyWithCode = (name: string, code: string): { directory: string; remove: () => void } => {
  const directory = mkdtempSync(join(tmpdir(), "assembly-"));
  cpSync(assemblyDirectory, directory, { recursive: true });
  const functions = globSync("*.template.json", { cwd: directory })
    .map((file): { Resources: Record<string, Resource> } => JSON.parse(readFileSync(join(directory, file), "utf8")))
    .flatMap(({ Resources }) => Object.entries(Resources))
    .filter(([logicalId, { Type }]) => Type === "AWS::Lambda::Function" && logicalId.includes(name));
  const [found, ...others] = functions;
  const asset = found?.[1].Properties.Code?.S3Key?.replace(/\.zip$/, "");
  if (asset === undefined || others.length > 0) throw new Error(`expected one function with ${name} in its name`);
  writeFileSync(join(directory, `asset.${asset}`, "index.mjs"), code);
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
};

/** Code that makes the AWS call described by the request's body with the function's role and returns the answer. */
export const AWS_CALLER = `
export const handler = async ({ body }) => {
  const { service, target, version, input } = JSON.parse(body);
  const { AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_REGION } = process.env;
  const response = await fetch(AWS_ENDPOINT_URL, {
    method: "POST",
    headers: {
      "content-type": "application/x-amz-json-" + version,
      "x-amz-target": target,
      authorization: "AWS4-HMAC-SHA256 Credential=" + AWS_ACCESS_KEY_ID + "/20260101/" + AWS_REGION + "/" + service +
        "/aws4_request, SignedHeaders=host, Signature=0",
    },
    body: JSON.stringify(input),
  });
  return { statusCode: response.status, body: await response.text() };
};
`;
