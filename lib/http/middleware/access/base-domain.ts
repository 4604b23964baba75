import { ApiError } from '../../../errors.ts';
import { hostName } from '../../request/origin.ts';
import { middleware } from '../middleware.ts';

/** Refuses requests to other hosts than the base domain, when one is configured. */
export const baseDomain = middleware(['auth_error/base_domain_only'], function baseDomain(c, next) {
  const { config } = c.get('call').services;
  if (config.baseDomain && hostName(c.req.header('host')) !== config.baseDomain)
    throw new ApiError('auth_error/base_domain_only');
  return next();
});
