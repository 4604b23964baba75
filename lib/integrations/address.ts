import type { SecretBox } from '../crypto/secret-box.ts';
import { secretContext } from '../events/signature.ts';
import type { SealedAddress } from './fields.ts';

/** Seals the address of an integration, which contains a secret. */
export const sealAddress = async (box: SecretBox, id: string, url: string): Promise<SealedAddress> => ({
  url: new URL(url).origin,
  secret: await box.seal(url, secretContext(id)),
});
