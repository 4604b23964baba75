import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterSuite } from '../run/suite.ts';

/** The advisories of versions 1.0 of invented packages, by package. */
const ADVISORIES: Record<string, string> = {
  'shop-images': 'PYSEC-2099-1',
  'shop-mails': 'PYSEC-2099-1',
  'shop-fonts': 'PYSEC-2099-2',
};

/** Starts a service with the API of OSV. It closes after the suite. @returns its address */
export async function startAdvisoryService(): Promise<string> {
  const server = createServer(async (request, response) => {
    const query = JSON.parse(await text(request));
    const { name } = query.package;
    const id = query.version === '1.0' ? ADVISORIES[name] : undefined;
    response.writeHead(request.url === '/fails' ? 500 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(id === undefined ? {} : { vulns: [advisory(id, name)] }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  afterSuite(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const advisory = (id: string, name: string) => ({
  id,
  aliases: [id.replace('PYSEC', 'CVE')],
  summary: 'Crafted input is read out of bounds',
  affected: [
    {
      package: { name, ecosystem: 'PyPI' },
      ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '1.1' }] }],
    },
  ],
});
