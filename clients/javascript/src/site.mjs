// The same objects as the CommonJS module's.
export { TOKEN_SECONDS, signInAddress, signInToken, widgetToken } from "./site.cjs";
