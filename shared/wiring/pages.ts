/** The pages for people. The build puts their files beside the functions (infra/bundling/page-files.ts). */
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { pageRoutes } from "../api/page-routes.ts";
import { createConsoleHandler } from "../http/console-page.ts";
import { createDocsHandler } from "../http/docs-page.ts";
import { createIdentityOrigins } from "../http/identity-origins.ts";
import { compressedSuffixes, createAssetHandler, createFileHandler } from "../http/page.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { beforeFirstRequest } from "../runtime/prewarm.ts";
import { wireClientLocator } from "./client-address.ts";

const readOwnFile = (name: string): string => {
  const { LAMBDA_TASK_ROOT: directory } = readConfig(["LAMBDA_TASK_ROOT"]);
  return readFileSync(join(directory, name), "utf8");
};

const readTemplate = (): string => readOwnFile("index.html");

export const wireDocsHandler = () => {
  const { ISSUER: issuer, AUDIENCE: audience } = readConfig(["ISSUER", "AUDIENCE"]);
  return createDocsHandler({
    route: pageRoutes.getDocs,
    template: readTemplate(),
    issuer,
    audience,
    ...wireClientLocator(),
  });
};

export const wireConsoleHandler = () => {
  const config = readConfig(["ISSUER", "CONSOLE_CLIENT_ID", "CONSOLE_SCOPE", "CONSOLE_AUDIENCE"]);
  const { ISSUER: issuer, CONSOLE_CLIENT_ID: clientId = null, CONSOLE_SCOPE: scope } = config;
  const { CONSOLE_AUDIENCE: audience = null } = config;
  const identityOrigins = createIdentityOrigins({ issuer, now: systemClock });
  beforeFirstRequest(identityOrigins);
  return createConsoleHandler({
    route: pageRoutes.getConsole,
    template: readTemplate(),
    settings: { issuer, clientId, scope, audience },
    identityOrigins,
    ...wireClientLocator(),
  });
};

/** The handler of the assets of either page. */
export const wireAssetHandler = (route: "getDocsAsset" | "getConsoleAsset") => {
  const { LAMBDA_TASK_ROOT: directory } = readConfig(["LAMBDA_TASK_ROOT"]);
  const files = readdirSync(directory).filter((file) => compressedSuffixes.includes(extname(file)));
  const assets = new Map(files.map((file) => [file, readFileSync(join(directory, file))]));
  return createAssetHandler({ route: pageRoutes[route], assets, ...wireClientLocator() });
};

export const wireVerifierHandler = () =>
  createFileHandler({
    route: pageRoutes.getVerifier,
    text: readOwnFile("verify.mjs"),
    type: "mjs",
    ...wireClientLocator(),
  });
