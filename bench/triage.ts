import { createClient, must } from '../tests/support/api/client.ts';
import { figureOf } from '../tests/support/scenario/figure.ts';
import { bench, inTurns } from './support/rounds.ts';

const FINDINGS = 500;
const CHANGES = 20;

/** Triage of many findings must feel immediate. */
export const triage = bench({
  summary: `PATCH /findings of ${FINDINGS} findings with reason and assignee, and POST /changes/{id}/undo of it; one request at a time`,

  async run(scene, { rounds, rows }) {
    const server = await scene.server();
    const org = await scene.seed(server, { findings: rows, bytes: 1_000 });
    const api = createClient(fetch, server.url);
    const found = must(await api.get(`/findings?page=1&per_page=${FINDINGS}&omit=description`, org.asOwner));
    const ids: string[] = found.map(({ id }: { id: string }) => id);
    const body = { ids, status: 'false_positive', reason: 'used_in_tests', assignee_id: org.owner.id };

    /** The mean of changes, each of which is undone, and of their undoing. */
    const both = async () => {
      const spent = { change: 0, undo: 0 };
      for (let i = 0; i < CHANGES; i++) {
        const began = performance.now();
        const { change_id, updated } = must(await api.patch('/findings', { ...org.asOwner, body }));
        const changed = performance.now();
        const { restored } = must(await api.post(`/changes/${change_id}/undo`, org.asOwner));
        spent.undo += performance.now() - changed;
        spent.change += changed - began;
        if (updated.length !== FINDINGS || restored.length !== FINDINGS)
          throw new Error('not all were changed');
      }
      return { change: spent.change / CHANGES, undo: spent.undo / CHANGES };
    };
    const show = ({ change, undo }: { change: number; undo: number }) =>
      `change ${change.toFixed(1)} ms, undo ${undo.toFixed(1)} ms`;
    const measured = await inTurns(scene, rounds, 'triage', { ours: both }, show);
    return [
      { name: 'change ms', ...figureOf(measured, ({ change }) => change), aim: { atMost: 150 } },
      { name: 'undo ms', ...figureOf(measured, ({ undo }) => undo), aim: { atMost: 150 } },
    ];
  },
});
