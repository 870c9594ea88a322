/**
 * Synthesises a stack that a module fills: `node synthesise-stack.ts <module> <output directory>`.
 * The module has a function `fill`.
 */
import { App, Stack } from "aws-cdk-lib";

const [module = "", outdir = ""] = process.argv.slice(2);
const { fill } = (await import(module)) as { fill: (stack: Stack) => void };
const app = new App({ outdir, analyticsReporting: false });
fill(new Stack(app, "test-stack"));
app.synth();
