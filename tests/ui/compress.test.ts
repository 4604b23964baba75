import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { compress } from '../../ui/src/uploads/compress.ts';

const { signal } = new AbortController();

const findings = (count: number) =>
  new Blob([
    JSON.stringify(Array.from({ length: count }, (_, i) => ({ title: `Finding ${i * i}`, line: i }))),
  ]);

describe('a file that is uploaded', () => {
  it('is compressed if it is large', async () => {
    const file = findings(5_000);
    const packed = await compress(file, signal);
    expect(packed?.size).toBeLessThan(file.size / 2);
    expect(gunzipSync(await (packed as Blob).arrayBuffer()).toString()).toBe(await file.text());
  });

  it('is sent as it is if it is small', async () => {
    expect(await compress(findings(100), signal)).toBe(undefined);
  });

  it('is sent as it is if it hardly shrinks, such as an archive', async () => {
    const noise = crypto.getRandomValues(new Uint8Array(65_536));
    expect(await compress(new Blob([noise, noise, noise]), signal)).toBe(undefined);
  });

  it('is sent as it is if it shrinks so much that the service would take it for a gzip bomb', async () => {
    expect(await compress(new Blob(['{"a": 1}'.repeat(100_000)]), signal)).toBe(undefined);
  });

  it('is not compressed further when the upload is canceled', async () => {
    const controller = new AbortController();
    const compressed = compress(findings(5_000), controller.signal);
    controller.abort();
    await expect(compressed).rejects.toThrow(/abort/i);
  });
});
