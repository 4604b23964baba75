import type { TransferState } from '../../../db/projects/transfer/transfers.ts';
import { count, id, shown, timestamp, z } from '../../schema.ts';

export const TRANSFER_STATES = ['waiting', 'moving', 'cancelling', 'done'] as const;

/** A project that moves to another organization. */
export const ProjectTransfer = z
  .object({
    project_id: id(),
    organization: z.object({ slug: shown('acme-labs'), name: shown('Acme Labs') }).openapi({
      description: 'The organization that gets the project.',
    }),
    slug: shown('web-shop', 'The slug of the project in that organization.'),
    state: z.enum(TRANSFER_STATES).openapi({
      description:
        '`done` only in the response of the request that starts a transfer. `cancelling`: the project stays.',
    }),
    findings: count(12_000).openapi({ description: 'How many findings the project had at the start.' }),
    copied: count(4_500).openapi({ description: 'How many of them are copied.' }),
    started_at: timestamp(),
  })
  .openapi('ProjectTransfer');

/** A transfer in progress as the API shows it. */
export function transferState(transfer: TransferState): z.output<typeof ProjectTransfer> {
  const { projectId, target, targetName, slug, findings, copied, startedAt, cancelled, active } = transfer;
  const state = cancelled ? 'cancelling' : active ? 'moving' : 'waiting';
  return {
    project_id: projectId,
    organization: { slug: target, name: targetName },
    ...{ slug, state, findings, copied: Math.min(copied, findings) },
    started_at: startedAt.toISOString(),
  };
}
