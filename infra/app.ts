/** The CDK app, as `cdk synth` and `cdk deploy` run it (cdk.json). */
import { createApp } from "./synth.ts";

// The CDK's command line sets the variable; the stack itself stays bound to no region unless the context names one.
createApp({ region: process.env.CDK_DEFAULT_REGION }).synth();
