import { expect, it } from 'vitest';
import { describeUnreachable } from '../../agent/delivery/refusals.ts';
import { ServiceError } from '../../lib/client/index.ts';

const answered = (status: number) => {
  const error = {
    type: 'rate_limit_error',
    code: 'exceeded',
    ref: 'E70001',
    message: 'The quota is used up.',
  };
  return new ServiceError({ status, headers: { get: () => null } }, { errors: [error] } as never);
};

it('says which limit keeps findings in the queue', () => {
  expect(describeUnreachable(answered(429))).toBe('The quota is used up.');
  expect(describeUnreachable(answered(503))).toBe('the service responded with status 503');
});
