// Globals of workerd that Node's types lack, and file types that the build imports.

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
