export * from "./tools.cjs";
