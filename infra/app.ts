/** The CDK app, as `cdk synth` and `cdk deploy` run it (cdk.json). */

import { IncompleteError } from "./constructs/require-complete.ts";
import { ContextError } from "./context-problems.ts";
import { createApp } from "./synth.ts";

try {
  // The CDK's command line sets the variable; the stack itself stays bound to no region unless the context names one.
  createApp({ region: process.env.CDK_DEFAULT_REGION }).synth();
} catch (error) {
  if (!(error instanceof ContextError || error instanceof IncompleteError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
