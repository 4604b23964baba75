import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EVENT_FILTERS } from '../lib/events/types.ts';
import {
  createClient,
  createOrg,
  createScan,
  must,
  push,
  type TestOrg,
} from '../tests/support/api/client.ts';
import { pushOf, wire } from '../tests/support/http/requests.ts';
import { newRun } from '../tests/support/load/load.ts';
import { bench, compare, perSecond } from './support/rounds.ts';
import { sampleFields } from './support/sample.ts';

const WEBHOOKS = 20;
const CONNECTIONS = 64;
/** A scan ends, and all webhooks are told of it, once in this time. */
const SCAN_MS = 1_000;

/** Webhooks must not slow down the pushes of the organization that they tell of. */
export const followed = bench({
  summary: `POST /agent/findings, distinct, ${CONNECTIONS} connections, while a scan ends each second, with ${WEBHOOKS} webhooks for everything, against none`,

  async run(scene, { rounds, seconds }) {
    const server = await scene.server({ env: { SVC_OUTBOUND_ALLOW: '127.0.0.0/8' } });
    const api = createClient(fetch, server.url);
    let received = 0;
    const receiver = createServer((request, response) => {
      received++;
      request.resume();
      response.writeHead(204).end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;

    const [own, bare] = [await createOrg(api), await createOrg(api)];
    for (let i = 0; i < WEBHOOKS; i++)
      must(await api.post('/webhooks', { ...own.asOwner, body: { url, events: EVENT_FILTERS } }));

    const measure = (org: TestOrg) => async () => {
      const scanId = await createScan(api, org);
      const request = wire(server.url, pushOf(org, scanId, sampleFields(org, scanId)));
      const load = { url: server.url, requests: [request], run: newRun(), connections: CONNECTIONS };
      const end = async () => {
        const id = await createScan(api, org);
        await push(api, org, id, sampleFields(org, id));
        must(await api.patch(`/agent/scans/${id}`, { ...org.asAgent, body: { status: 'completed' } }));
      };
      const scans = setInterval(() => void end(), SCAN_MS);
      try {
        return await perSecond(scene, { ...load, seconds, status: 201 })();
      } finally {
        clearInterval(scans);
      }
    };
    const figure = await compare(
      scene,
      rounds,
      'ingest-followed',
      { ours: measure(own), limit: measure(bare) },
      '/s',
    );
    receiver.closeAllConnections();
    receiver.close();
    return [
      { name: 'findings/s', ...figure, limitedBy: 'no webhooks', aim: { atLeast: 0.9 } },
      { name: 'deliveries', value: received },
    ];
  },
});
