import { runProgram } from '../tests/support/scenario/program.ts';
import { agent } from './agent.ts';
import { citus } from './citus.ts';
import { clients } from './clients.ts';
import { disk } from './disk.ts';
import { hostile } from './hostile.ts';
import { kills } from './kills.ts';
import { loginFlood } from './login-flood.ts';
import { noisy } from './noisy.ts';
import { orgs } from './orgs.ts';
import { pgbouncer } from './pgbouncer.ts';
import { postgres } from './postgres.ts';
import { replica } from './replica.ts';
import { stop } from './stop.ts';

await runProgram({
  name: 'soak',
  about: 'Each one puts load or a fault on the service, on loopback, verifies the resulting state and exits.',
  scenarios: {
    ...{ agent, citus, clients, disk, hostile, kills, 'login-flood': loginFlood },
    ...{ noisy, orgs, pgbouncer, postgres, replica, stop },
  },
  isShared: false,
});
