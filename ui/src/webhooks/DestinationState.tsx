import * as text from '#strings/webhooks.tsx';
import { StateBadge } from '../components/StateBadge.tsx';
import type { Destination } from './queries.ts';

/** The state of a webhook or an integration, unless it works. */
export function DestinationState({ destination }: { destination: Destination }) {
  const { disabled_reason, enabled, failures } = destination;
  if (disabled_reason) return <StateBadge label={text.reasons[disabled_reason]} color="red" />;
  if (!enabled) return <StateBadge label={text.off} color="gray" />;
  return failures !== undefined && <StateBadge label={text.failing(failures)} color="orange" />;
}
