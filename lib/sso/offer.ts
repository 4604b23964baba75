import type { Config } from '../config/config.ts';
import { shown, z } from '../schema.ts';

/** The provider of the deployment, for the sign-in page. */
export const SsoOffer = z
  .object({ name: shown('Acme login') })
  .openapi('SsoOffer', { description: 'Present when a provider signs in to the whole deployment.' });

export const ssoOffer = ({ sso }: Pick<Config, 'sso'>) =>
  sso.deployment ? { sso: { name: sso.deployment.name } } : {};
