import type { Command } from 'commander';
import type { Check, CheckStatus } from '../doctor/checks.ts';
import { type Diagnosis, diagnose } from '../doctor/doctor.ts';
import { EXIT, oneLine } from '../error.ts';
import type { ChooseWithoutDatabase } from './choose.ts';

/** `doctor` */
export function addDoctor(program: Command, choose: ChooseWithoutDatabase): void {
  program
    .command('doctor')
    .description(
      'check configuration, keys, TLS, mail, limits, database role, migrations and backups of this deployment; changes nothing; exits with 1 if a check fails',
    )
    .option('--mail <address>', 'also send a test mail to this address')
    .action(({ mail }: { mail?: string }, command) =>
      choose(command, async (context) => {
        const json = await diagnose(context, mail);
        return { json, text: textOf(json), exitCode: json.counts.failed > 0 ? EXIT.failed : EXIT.ok };
      }),
    );
}

const MARKS: Record<CheckStatus, string> = {
  ok: 'ok',
  warning: 'WARNING',
  failed: 'FAILED',
  skipped: 'skipped',
};

function textOf({ checks, counts }: Diagnosis): string {
  const areas = [...new Set(checks.map(({ area }) => area))];
  const lines = areas.flatMap((area) => [area, ...checks.filter((check) => check.area === area).map(lineOf)]);
  return [...lines, '', `${counts.failed} failed, ${counts.warning} warnings, ${counts.ok} ok`].join('\n');
}

const lineOf = ({ status, message, see }: Check): string =>
  `  ${MARKS[status].padEnd(8)} ${oneLine(message)}${see === undefined ? '' : ` [${see}]`}`;
