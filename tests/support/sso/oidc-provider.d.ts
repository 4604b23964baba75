/** The parts of `oidc-provider` that the tests use. It has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export default class Provider {
    constructor(issuer: string, configuration: object);
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
    // biome-ignore lint/suspicious/noExplicitAny: a model of the library
    Grant: any;
    on(event: string, listener: (...args: unknown[]) => void): void;
  }
}
