import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { median } from '../tests/support/scenario/stats.ts';
import { type AgentUsage, runMeasured } from './support/agent-run.ts';
import { bench } from './support/rounds.ts';

/** Backup and restore of one organization, with the command. */
export const backup = bench({
  summary: 'backup and restore of an organization with 1,000,000 findings: seconds, memory of the command',

  async run(scene, { rounds, rows }) {
    const server = await scene.server();
    const org = await scene.seed(server, { findings: rows, bytes: 1_500 });
    const { url } = await scene.database();
    const { workDir, say } = scene.site;
    const file = join(workDir, 'org.backup');
    const keyFile = join(workDir, 'backup.key');
    const command = async (...args: string[]): Promise<AgentUsage> => {
      const used = await runMeasured(args, {
        agent: join(scene.checkout, 'dist/admin.js'),
        ...{ workDir, env: { DATABASE_URL: url, JWT_SECRET: 'x'.repeat(32) } },
      });
      if (used.code !== 0) throw new Error(used.out);
      return used;
    };
    await command('backup-key', keyFile);
    const key = ['--key-file', keyFile];
    const backups: AgentUsage[] = [];
    const restores: AgentUsage[] = [];
    let bytes = 0;
    for (let round = 1; round <= rounds; round++) {
      await rm(file, { force: true });
      backups.push(await command('orgs', 'backup', ...key, org.slug, '--file', file));
      bytes = (await stat(file)).size;
      restores.push(await command('orgs', 'restore-backup', ...key, file, '--as', `copy-${round}`));
      const shown = [backups.at(-1), restores.at(-1)].map(
        (used) => `${used?.seconds.toFixed(1)} s, ${used?.memory.toFixed(0)} MiB`,
      );
      say(`  backup, round ${round}: backup ${shown[0]}, restore ${shown[1]}`);
    }
    const figures = (name: string, all: AgentUsage[]) => [
      { name: `${name} s`, value: median(all.map(({ seconds }) => seconds)) },
      {
        name: `${name}, memory MiB`,
        value: Math.max(...all.map(({ memory }) => memory)),
        aim: { atMost: 400 },
      },
    ];
    return [
      ...figures('backup', backups),
      ...figures('restore', restores),
      { name: 'file MiB', value: bytes / 1024 / 1024 },
    ];
  },
});
