import type { TestApp } from './app.ts';

/** Makes an app publish and deliver no events by itself, for suites that read the rows, or that no background task may write into. */
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
