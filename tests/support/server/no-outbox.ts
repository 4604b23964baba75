import type { TestApp } from './app.ts';

/** Stops an app from publishing and delivering events, for suites that compare rows before and after a request. */
export async function withoutOutbox({ services }: TestApp): Promise<void> {
  await services.outbox.stop();
  services.outbox = {
    kick() {},
    followed() {},
    publish: async () => 0,
    run: async () => 0,
    async stop() {},
  };
}
