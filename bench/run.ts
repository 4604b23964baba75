import { runProgram } from '../tests/support/scenario/program.ts';
import { accountTiming } from './account-timing.ts';
import { agent } from './agent.ts';
import { assigned } from './assigned.ts';
import { audit } from './audit.ts';
import { backup } from './backup.ts';
import { batch } from './batch.ts';
import { dashboard } from './dashboard.ts';
import { exports } from './exports.ts';
import { followed } from './followed.ts';
import { hello } from './hello.ts';
import { ingest, ingestAgain, ingestMixed, ingestPrevious, ingestRules } from './ingest.ts';
import { ingestStatement } from './ingest-statement.ts';
import { large } from './large.ts';
import { list } from './list.ts';
import { login } from './login.ts';
import { page } from './page.ts';
import { point } from './point.ts';
import { refs } from './refs.ts';
import { report } from './report.ts';
import { retention } from './retention.ts';
import { scanCompletion } from './scan-completion.ts';
import { selectAll } from './select-all.ts';
import { start } from './start.ts';
import { tabs } from './tabs.ts';
import { triage } from './triage.ts';
import { ui } from './ui.ts';
import { upgrade } from './upgrade.ts';
import { metrics, projectWeeks, similar } from './year.ts';

await runProgram({
  name: 'bench',
  about:
    'Measures each figure alternating with a limit that is taken in the same run. Without a name all of them run.',
  scenarios: {
    ingest,
    'ingest-again': ingestAgain,
    'ingest-previous': ingestPrevious,
    'ingest-rules': ingestRules,
    'ingest-mixed': ingestMixed,
    'ingest-followed': followed,
    'ingest-statement': ingestStatement,
    batch,
    agent,
    report,
    list,
    exports,
    point,
    page,
    dashboard,
    refs,
    tabs,
    triage,
    retention,
    backup,
    audit,
    metrics,
    'project-weeks': projectWeeks,
    similar,
    assigned,
    large,
    'scan-completion': scanCompletion,
    upgrade,
    login,
    start,
    hello,
    'account-timing': accountTiming,
    'select-all': selectAll,
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
