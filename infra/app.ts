/** The CDK app, as `cdk synth` and `cdk deploy` run it (cdk.json). */
import { createApp } from "./synth.ts";

createApp().synth();
