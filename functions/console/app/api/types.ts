/** The API's types, generated from the OpenAPI document by the build. */
export type * from "../../../../.build/console/openapi.d.ts";
