/* Signatures of Standard Webhooks (https://www.standardwebhooks.com). */

/** The beginning of a secret. The rest is base64. */
export const SECRET_PREFIX = 'whsec_';

/** The context of a sealed secret, which binds it to its destination. */
export const secretContext = (destinationId: string): string => `destinations ${destinationId}`;

const encoder = new TextEncoder();

async function sign(secret: string, signed: string): Promise<string> {
  const bytes = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const signature = await crypto.subtle.sign('HMAC', key, encoder.encode(signed));
  return `v1,${Buffer.from(signature).toString('base64')}`;
}

/** The headers that sign a request, with a signature for each secret. */
export async function signatureHeaders(
  secrets: readonly string[],
  { id, at, body }: { id: string; at: Date; body: string },
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = await Promise.all(secrets.map((secret) => sign(secret, `${id}.${timestamp}.${body}`)));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
