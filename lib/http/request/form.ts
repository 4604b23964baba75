import type { Context } from 'hono';
import { ApiError } from '../../errors.ts';
import { holdBody } from './held-body.ts';

const FORM = 'application/x-www-form-urlencoded';
const MAX_BYTES = 32 * 1024;

/** Reads a small form. @throws ApiError `validation_error/invalid_body` */
export async function readForm(c: Context): Promise<URLSearchParams> {
  const type = c.req.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== FORM)
    throw new ApiError('validation_error/invalid_body', { message: `The content type must be ${FORM}.` });
  const held = await holdBody(
    c,
    { maxBytes: MAX_BYTES, smallIsFree: true, nouns: { one: 'form', many: 'forms' } },
    () => ({ budget: undefined, sharer: { id: '', account: '' } }),
  );
  try {
    return new URLSearchParams(new TextDecoder().decode(held.bytes));
  } finally {
    held.free();
  }
}
