import { generateKeyPairSync, sign } from 'node:crypto';

/** A DER element. */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const oid = (...bytes: number[]) => der(0x06, Buffer.from(bytes));
const text = (value: string) => Buffer.from(value, 'latin1');

const ECDSA_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const COMMON_NAME = oid(0x55, 0x04, 0x03);
const SUBJECT_ALT_NAME = oid(0x55, 0x1d, 0x11);
const BASIC_CONSTRAINTS = oid(0x55, 0x1d, 0x13);
const TRUE = der(0x01, Buffer.from([0xff]));

/** A key and a self-signed certificate for `localhost` and 127.0.0.1, valid as long as the format can say. */
export function createCertificate(): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, text('localhost')))));
  const names = sequence(der(0x82, text('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])));
  const extensions = sequence(
    sequence(SUBJECT_ALT_NAME, der(0x04, names)),
    sequence(BASIC_CONSTRAINTS, TRUE, der(0x04, sequence(TRUE))),
  );
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ECDSA_SHA256,
    name,
    sequence(der(0x18, text('20200101000000Z')), der(0x18, text('99991231235959Z'))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', signed, privateKey));
  const lines =
    sequence(signed, ECDSA_SHA256, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}
