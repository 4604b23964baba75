import { freshCookie } from '../../../lib/http/access.ts';
import { created } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import {
  CreatedPersonalToken,
  issuePersonalToken,
  PersonalTokenInput,
} from '../../../lib/tokens/personal.ts';

export const createPersonalToken = endpoint(
  {
    method: 'post',
    path: '/profile/tokens',
    access: freshCookie,
    tag: 'Profile: access tokens',
    summary: 'Create a personal access token',
    description:
      'For scripts that act as you. In each organization the token may do what its scopes and your role there allow, and nothing after you leave. The full token is returned only here, and you are told about it by mail. Tokens that have expired are removed. Answers 409 `conflict` when the account has reached its limit.',
    request: { body: PersonalTokenInput },
    responses: { 201: { description: 'The token and its metadata.', result: CreatedPersonalToken } },
    errors: ['resource_error/conflict'],
  },
  async (call) => created(await issuePersonalToken(call, call.body)),
);
