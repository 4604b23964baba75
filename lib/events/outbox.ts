/** Sends the events of organizations to those who follow them. */
export interface Outbox {
  /** Publishes the new events of an organization in the background, and sends what is due. Free while nobody follows it. */
  kick(orgId: string): void;
  /** Notes that the organization has destinations or not (any more), after a change of them. */
  followed(orgId: string): void;
  /** Publishes the new events of one organization now. @returns the position of the latest one */
  publish(orgId: string): Promise<number>;
  /** Publishes events that no process has published, and sends all due deliveries. */
  run(): Promise<number>;
  stop(): Promise<void>;
}

/** An outbox that sends nothing. */
export const noOutbox: Outbox = {
  kick() {},
  followed() {},
  publish: async () => 0,
  run: async () => 0,
  async stop() {},
};
