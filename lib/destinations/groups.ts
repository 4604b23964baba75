import type { DestinationKind } from '../../db/events/destinations.ts';
import { CHAT_KINDS, type destinations as t } from '../../db/schema/destinations.ts';

export type DestinationRow = typeof t.$inferSelect;

/** Destinations that the API shows in one list. */
export interface DestinationGroup {
  path: 'integrations' | 'webhooks';
  /** The word for one of them, also in actions of the audit log and in the security log. */
  noun: 'integration' | 'webhook';
  tag: 'Integrations' | 'Webhooks';
  kinds: readonly DestinationKind[];
  /** The name of one in the audit log and in mails. */
  nameOf(row: Pick<DestinationRow, 'name' | 'url'>): string;
}

/** Scheme, host and port of an address. The rest may have secrets, so the audit log, mails and the log do not show it. */
export const originOf = ({ url }: Pick<DestinationRow, 'url'>): string => new URL(url).origin;

export const WEBHOOKS: DestinationGroup = {
  ...{ path: 'webhooks', noun: 'webhook', tag: 'Webhooks', kinds: ['webhook'] },
  nameOf: originOf,
};

export const INTEGRATIONS: DestinationGroup = {
  ...{ path: 'integrations', noun: 'integration', tag: 'Integrations', kinds: CHAT_KINDS },
  nameOf: (row) => row.name ?? originOf(row),
};

/** The noun with its article, for texts. */
export const articled = ({ noun }: DestinationGroup): string =>
  noun === 'integration' ? `an ${noun}` : `a ${noun}`;

/** The most destinations of a group that an organization can have. */
export const MAX_DESTINATIONS = 20;
