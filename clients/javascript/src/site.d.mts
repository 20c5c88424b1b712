export * from "./site.cjs";
