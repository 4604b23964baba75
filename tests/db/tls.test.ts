import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openDatabase } from '../../db/client.ts';
import { createCertificate } from '../support/hostile/certificate.ts';

const SSL_REQUEST_BYTES = 8;

interface TlsProxy {
  /** With `localhost` as the host. */
  url: string;
  /** Names that clients asked for (SNI). */
  serverNames: (string | false | undefined)[];
  reset(): void;
  close(): void;
}

/** Starts a proxy that speaks TLS to its clients, as PostgreSQL with `ssl = on` does. */
async function startTlsProxy(url: string): Promise<TlsProxy> {
  const { hostname, port } = new URL(url);
  const certificate = createCertificate();
  const sockets = new Set<net.Socket>();
  const serverNames: TlsProxy['serverNames'] = [];
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.once('data', (request) => {
      expect(request).toHaveLength(SSL_REQUEST_BYTES);
      socket.write('S');
      const secure = new TLSSocket(socket, { isServer: true, ...certificate });
      secure.once('secure', () => serverNames.push((secure as { servername?: string | false }).servername));
      const onward = net.connect(Number(port || 5432), hostname);
      secure.on('error', () => {}).on('close', () => onward.destroy());
      onward.on('error', () => {}).on('close', () => secure.destroy());
      secure.pipe(onward).pipe(secure);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxied = new URL(url);
  proxied.host = `localhost:${(server.address() as AddressInfo).port}`;
  return {
    url: proxied.href,
    serverNames,
    reset() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

describe('a connection with TLS', () => {
  let proxy: TlsProxy;
  beforeAll(async () => {
    proxy = await startTlsProxy(inject('postgresUrl'));
  });
  afterAll(() => proxy.close());

  it('names the server, cancels through TLS, and is replaced when it is lost', async () => {
    const pool = openDatabase({ url: `${proxy.url}?sslmode=require`, max: 1 });
    expect((await pool.sql.unsafe('select 1 as one'))[0]?.one).toBe(1);
    expect(proxy.serverNames).toEqual(['localhost']);

    const controller = new AbortController();
    const query = pool.sql.unsafe('select pg_sleep(60)', [], { signal: controller.signal } as never);
    setTimeout(() => controller.abort(), 50);
    await expect(query).rejects.toMatchObject({ code: '57014' });
    expect(proxy.serverNames).toEqual(['localhost', 'localhost']);

    const lost = pool.sql.unsafe('select pg_sleep(60)').execute();
    setTimeout(proxy.reset, 50);
    await expect(lost).rejects.toMatchObject({ code: expect.stringMatching(/CONNECTION_CLOSED|ECONNRESET/) });
    // A query that is sent before the connection is closed fails, too.
    await expect.poll(() => pool.sql.unsafe('select 2 as two').then(([row]) => row?.two)).toBe(2);
    await pool.close();
  });

  it('is refused when the certificate cannot be verified, if it must be', async () => {
    const pool = openDatabase({ url: `${proxy.url}?sslmode=verify-full`, max: 1 });
    await expect(pool.sql.unsafe('select 1')).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    expect(pool.pool()).toMatchObject({ open: 0, inUse: 0 });
    await pool.close();
  });
});
