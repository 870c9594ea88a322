/**
 * Headless Chromium from the package `@sparticuz/chromium`. It reaches only 127.0.0.1. With the environment variable
 * CHROMIUM_PATH, the browser there takes its place. Tests use it by browser.ts.
 */
import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { LaunchOptions } from "playwright-core";
import { invalidVariable, readText } from "../../infra/local/start/variables.ts";

const root = join(import.meta.dirname, "..", "..");
const packageDirectory = join(dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")), "..");
const { version } = JSON.parse(readFileSync(join(packageDirectory, "package.json"), "utf8")) as { version: string };

/** The unpacked browser: kept in the checkout, because unpacking takes about ten seconds. */
const directory = join(root, ".cache", `chromium-${version}`);

const givenBrowser = (): string | undefined => readText(process.env, "CHROMIUM_PATH");

/** @throws Error that says what to do if there is no browser for this platform. */
export const requireChromium = (platform = `${process.platform}-${process.arch}`): void => {
  const given = givenBrowser();
  if (given === undefined) {
    if (platform === "linux-x64") return;
    throw new Error(
      `the tests of web pages need a browser, and the package @sparticuz/chromium has none for ${platform}: ` +
        "set the environment variable CHROMIUM_PATH to the path of Chromium or Chrome, " +
        'such as "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"',
    );
  }
  try {
    accessSync(given, constants.X_OK);
  } catch {
    throw invalidVariable("CHROMIUM_PATH", given, "expected the path of Chromium or Chrome");
  }
};

/** Unpacks the browser with its fonts and libraries, if no earlier run of this checkout did. */
const unpackChromium = async (): Promise<void> => {
  if (givenBrowser() !== undefined || existsSync(directory)) return;
  mkdirSync(dirname(directory), { recursive: true });
  const unpacked = mkdtempSync(`${directory}-`);
  // The package unpacks into TMPDIR. It adds the libraries that the browser links to only if it sees Lambda.
  const env = { ...process.env, TMPDIR: unpacked, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x" };
  const unpack = 'import chromium from "@sparticuz/chromium"; await chromium.executablePath();';
  try {
    await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", unpack], { cwd: root, env });
    renameSync(unpacked, directory);
  } catch (error) {
    rmSync(unpacked, { recursive: true, force: true });
    // Another run may have unpacked it at the same time.
    if (!existsSync(directory)) throw error;
  }
};

/** The variables with which the package's browser finds its fonts and libraries. */
const packagedEnvironment = {
  // The package looks for fonts in a folder that does not exist. Without a font, all texts have no width.
  FONTCONFIG_FILE: join(import.meta.dirname, "fonts.conf"),
  XDG_DATA_HOME: join(directory, "fonts"),
  XDG_CACHE_HOME: directory,
  LD_LIBRARY_PATH: join(directory, "al2023", "lib"),
};

/** Unpacks the browser if necessary. @returns how to start it */
export const prepareChromium = async (): Promise<LaunchOptions> => {
  await unpackChromium();
  const given = givenBrowser();
  return {
    executablePath: given ?? join(directory, "chromium"),
    args: ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
    env: { ...process.env, ...(given === undefined && packagedEnvironment) },
    // The driver's handler of SIGTERM would keep this process alive. Chromium ends by itself when its pipe to the driver
    // closes: https://playwright.dev/docs/api/class-browsertype#browser-type-launch
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  };
};
