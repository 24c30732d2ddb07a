/** The simulator, compiled, as gzip in base64: see `vite.config.ts`. */
declare module "virtual:acklab.wasm" {
  const packed: string;
  export default packed;
}

declare module "*.md?page" {
  const html: string;
  export default html;
}
