import { userEmails } from '../../db/schema/accounts.ts';
import { id, shown, timestamp, z } from '../schema.ts';

export const UserEmail = z
  .object({
    id: id(),
    email: shown('ada@example.com'),
    is_primary: z.boolean().openapi({ example: true }),
    verified: z.boolean().openapi({ example: true }),
    verified_at: timestamp().optional(),
    created_at: timestamp(),
  })
  .openapi('UserEmail');

export const emailFields = {
  id: userEmails.id,
  email: userEmails.email,
  is_primary: userEmails.isPrimary,
  verified_at: userEmails.verifiedAt,
  created_at: userEmails.createdAt,
};

interface EmailRow {
  id: string;
  email: string;
  is_primary: boolean;
  verified_at: Date | null;
  created_at: Date;
}

/** An e-mail address as the API shows it. */
export const toEmail = ({ verified_at, created_at, ...row }: EmailRow) => ({
  ...row,
  verified: verified_at !== null,
  ...(verified_at && { verified_at: verified_at.toISOString() }),
  created_at: created_at.toISOString(),
});
