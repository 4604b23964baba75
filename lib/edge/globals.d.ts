// What workerd has beside Node's globals, and what the build makes of imports.

declare namespace WebAssembly {
  interface Memory {
    readonly buffer: ArrayBuffer;
  }
  function compile(bytes: Uint8Array): Promise<Module>;
  class Instance {
    constructor(module: Module);
    readonly exports: object;
  }
}

declare module '*.wasm' {
  const module: WebAssembly.Module;
  export default module;
}

declare module '*.html' {
  const text: string;
  export default text;
}
