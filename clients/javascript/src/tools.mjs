// The same objects as the CommonJS module's, so that `instanceof` holds however the package was loaded.
export { FileStore, MemoryStore, Refused, Toolbox } from "./tools.cjs";
