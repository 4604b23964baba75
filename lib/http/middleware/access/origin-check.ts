import { ApiError } from '../../../errors.ts';
import { isAllowedOrigin, isOwnOrigin } from '../../request/origin.ts';
import { middleware } from '../middleware.ts';

/** Refuses requests from pages of other sites (403), because browsers send the session cookie with them. */
export const originCheck = middleware(['permission_error/denied'], function originCheck(c, next) {
  const origin = c.req.header('origin');
  const { services, peer } = c.get('call');
  if (
    origin === undefined ||
    isOwnOrigin(origin, c.req.header('host'), services.config, peer.secure) ||
    isAllowedOrigin(origin, services.config, peer.secure)
  ) {
    return next();
  }
  throw new ApiError('permission_error/denied', { message: 'Requests from this origin are not allowed.' });
});
