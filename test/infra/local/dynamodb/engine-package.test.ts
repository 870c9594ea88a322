import { describe, expect, it } from "@jest/globals";
import { findEngine } from "../../../../infra/local/dynamodb/engine-package.ts";

describe("findEngine", () => {
  it.each([["darwin-arm64"], ["darwin-x64"], ["linux-arm64"], ["win32-x64"]])(
    "names the package for %s, and the way without the engine, if it is not installed",
    (platform) => {
      expect(() => findEngine(platform)).toThrow(
        new RegExp(
          `^the embedded DynamoDB engine for ${platform} \\(package @dynoxide/${platform}\\) is not installed: ` +
            `run \`npm install --no-save @dynoxide/${platform}@1\\.2\\.1\`, or set the environment variable DYNAMODB_ENDPOINT`,
        ),
      );
    },
  );

  it("names only the way without the engine on a platform for which no package exists", () => {
    expect(() => findEngine("sunos-x64")).toThrow(
      /^the embedded DynamoDB engine does not exist for sunos-x64: set the environment variable DYNAMODB_ENDPOINT/,
    );
  });
});
