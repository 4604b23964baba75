import type { AuditFilter } from '../../db/audit/read.ts';
import { AUDIT_ACTORS } from '../../db/schema/audit.ts';
import { moment } from '../findings/filter/parameters.ts';
import { anyOf, id, shown, text, timestamp, uuid, z } from '../schema.ts';
import { AUDIT_ACTIONS, AUDIT_TARGETS } from './actions.ts';

/** An entry as the API shows it. */
export const AuditEntry = z
  .object({
    id: id(),
    at: timestamp(),
    action: z.enum(AUDIT_ACTIONS).openapi({ description: 'docs/audit.md lists the actions.' }),
    actor: z
      .object({ type: z.enum(AUDIT_ACTORS), id: id(), name: shown('Ada Lovelace').optional() })
      .openapi({ description: 'A user whose account was deleted has no name.' }),
    target: z.object({
      type: z.enum(AUDIT_TARGETS),
      id: shown('0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07').optional(),
      name: shown('web-shop').optional(),
    }),
    changes: z
      .record(z.string(), z.object({ from: z.unknown().optional(), to: z.unknown().optional() }))
      .openapi({
        description: 'Fields with their values before (`from`) and after (`to`).',
        example: { name: { from: 'Shop', to: 'Web shop' } },
      }),
    ip: shown('203.0.113.7').optional(),
    user_agent: shown('Mozilla/5.0').optional(),
    request_id: shown('req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b'),
  })
  .openapi('AuditEntry');

/** The filters of the log. */
export const auditShape = {
  actor: uuid().optional().openapi({ description: 'The id of a user or a token.' }),
  action: anyOf(AUDIT_ACTIONS).optional(),
  target: text({ max: 100, example: '0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07' })
    .optional()
    .openapi({ description: 'The id of what was changed, or the name of a setting.' }),
  from: moment('At this time or later.').optional(),
  to: moment('Before this time.').optional(),
};

export const auditFilter = ({
  action,
  ...filter
}: Omit<AuditFilter, 'actions'> & { action?: readonly string[] | undefined }): AuditFilter => ({
  ...filter,
  actions: action,
});
