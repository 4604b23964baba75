import { runProgram } from '../tests/support/scenario/program.ts';
import { accountTiming } from './account-timing.ts';
import { batch } from './batch.ts';
import { dashboard } from './dashboard.ts';
import { exports } from './exports.ts';
import { hello } from './hello.ts';
import { ingest, ingestAgain, ingestMixed, ingestPrevious } from './ingest.ts';
import { list } from './list.ts';
import { login } from './login.ts';
import { page } from './page.ts';
import { point } from './point.ts';
import { scanCompletion } from './scan-completion.ts';
import { start } from './start.ts';
import { ui } from './ui.ts';

await runProgram({
  name: 'bench',
  about:
    'Measures each figure alternating with a limit that is taken in the same run. Without a name all of them run.',
  scenarios: {
    ingest,
    'ingest-again': ingestAgain,
    'ingest-previous': ingestPrevious,
    'ingest-mixed': ingestMixed,
    batch,
    list,
    exports,
    point,
    page,
    dashboard,
    'scan-completion': scanCompletion,
    login,
    start,
    hello,
    'account-timing': accountTiming,
    ui,
  },
  isShared: true,
  options: `
  --rounds <n>        rounds of which the median counts (3)
  --seconds <n>       of load per round (6)
  --rows <n>          findings of the large organization (1000000)
  --loader wrk|node   the load generator: wrk where it is installed
  --checkout <dir>    measure the server of another checkout
  --profile           write the servers' CPU profiles into bench/results
`,
});
