import type { ReadDelivery } from '../../db/destinations/list.ts';
import { DELIVERY_STATES } from '../../db/schema/values.ts';
import { count, id, shown, timestamp, z } from '../schema.ts';

/** Deliveries are kept for so many days. */
export const DELIVERY_DAYS = 30;

/** A delivery, as the API shows it. */
export const Delivery = z
  .object({
    id: id(),
    event: z
      .object({ id: id(), type: shown('scan.completed'), at: timestamp() })
      .optional()
      .openapi({ description: 'Absent: a test.' }),
    state: z.enum(DELIVERY_STATES).openapi({ example: 'delivered' }),
    attempts: count(1),
    created_at: timestamp(),
    next_at: timestamp().optional().openapi({ description: 'When a pending delivery is tried again.' }),
    tried_at: timestamp().optional().openapi({ description: 'The latest attempt; also the fields below.' }),
    status: z
      .int()
      .optional()
      .openapi({ description: 'The status of the response. Absent: there was none.', example: 200 }),
    duration_ms: count(84).optional(),
    response: shown('ok', 'The beginning of the response.').optional(),
    error: shown('The address did not answer within 10 seconds.', 'Why the attempt failed.').optional(),
  })
  .openapi('Delivery');

export const toDelivery = (read: ReadDelivery): z.output<typeof Delivery> => read;
