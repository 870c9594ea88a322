/** The files of the page `/docs`, which the build puts beside the functions (infra/bundling/docs-files.ts). */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createDocsAssetHandler, createDocsHandler } from "../http/docs-page.ts";
import { readConfig } from "../runtime/config.ts";
import { wireClientLocator } from "./client-address.ts";

const SUFFIX = ".gz";

export const wireDocsHandler = () => {
  const {
    LAMBDA_TASK_ROOT: directory,
    ISSUER: issuer,
    AUDIENCE: audience,
  } = readConfig(["LAMBDA_TASK_ROOT", "ISSUER", "AUDIENCE"]);
  const template = readFileSync(join(directory, "index.html"), "utf8");
  return createDocsHandler({ template, issuer, audience, ...wireClientLocator() });
};

export const wireDocsAssetHandler = () => {
  const { LAMBDA_TASK_ROOT: directory } = readConfig(["LAMBDA_TASK_ROOT"]);
  const files = readdirSync(directory).filter((file) => file.endsWith(SUFFIX));
  const assets = new Map(files.map((file) => [file.slice(0, -SUFFIX.length), readFileSync(join(directory, file))]));
  return createDocsAssetHandler({ assets, ...wireClientLocator() });
};
