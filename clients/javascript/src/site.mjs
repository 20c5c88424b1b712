// The same objects as the CommonJS module's.
export { TOKEN_SECONDS, signInAddress, signInToken } from "./site.cjs";
