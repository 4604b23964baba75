import { accountTiming } from './account-timing.ts';
import { ingest } from './ingest.ts';
import { type Bench, openSite } from './support/site.ts';

const BENCHES: Record<string, Bench> = { ingest, 'account-timing': accountTiming };

const [name = '', ...args] = process.argv.slice(2);
const bench = BENCHES[name];
if (!bench || args.includes('--help')) {
  const lines = Object.entries(BENCHES).map(
    ([key, { summary, usage }]) => `  ${key} ${usage}\n    ${summary}\n`,
  );
  process.stderr.write(`Usage: npm run bench -- <bench> [options]\n\n${lines.join('\n')}`);
  process.exit(2);
}

// Whoever reads the output may leave (`| head`); the servers still have to be stopped.
process.stdout.on('error', () => {});

const site = await openSite(name);
let code = 0;
try {
  await bench.run(args, site);
} catch (error) {
  code = 1;
  process.stderr.write(`${(error as Error).stack}\n`);
}
await site.close();
process.exit(code);
