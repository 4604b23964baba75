import { ApiError } from '../../../lib/errors.ts';
import { cookie } from '../../../lib/http/access.ts';
import { noContent } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { z } from '../../../lib/schema.ts';
import { revokePersonalToken as revoke } from '../../../lib/tokens/personal.ts';

export const revokePersonalToken = endpoint(
  {
    method: 'delete',
    path: '/profile/tokens/{id}',
    access: cookie,
    tag: 'Profile: access tokens',
    summary: 'Revoke a personal access token',
    description: 'The token stops working with its next request and is removed from the list.',
    request: { params: z.object({ id: idParam() }) },
    responses: { 204: { description: 'Revoked.' } },
  },
  async (call) => {
    if (!(await revoke(call, call.params.id))) throw new ApiError('resource_error/not_found');
    return noContent();
  },
);
